use std::collections::{BTreeMap, BTreeSet};

use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::ids::PaymentId;
use shop_domain::ledger::Account;
use shop_domain::status::{AttemptKind, AttemptOutcome, PaymentState};
use shop_store::entities::{attempts, inventory_levels, ledger_entries, payments};

use super::money::balances;
use super::sums;
use super::view::Difference;
use crate::error::Result;
use crate::shop::Shop;

/// What the gateway kept of each charge, by its id.
pub(super) type Books = BTreeMap<String, Kept>;

#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub(super) net_minor: i64,
    /// The shop's payment, as the gateway was told.
    pub(super) reference: String,
}

/// The shop's own side of the reconciliation.
pub(super) struct ShopBooks {
    pub(super) payments: Vec<payments::Model>,
    /// What the ledger says the gateway holds of each payment: refunds that went elsewhere are not in it.
    cash_minor: BTreeMap<PaymentId, i64>,
    /// Payments with a call whose answer is missing.
    open: BTreeSet<PaymentId>,
}

impl ShopBooks {
    pub(super) async fn load(conn: &impl ConnectionTrait) -> Result<Self> {
        let mut cash_minor: BTreeMap<PaymentId, i64> = BTreeMap::new();
        let entries = ledger_entries::Entity::find()
            .filter(ledger_entries::Column::Account.eq(Account::CashAtGateway))
            .all(conn)
            .await?;
        for entry in entries {
            if let Some(payment) = entry.payment_id {
                *cash_minor.entry(payment).or_default() += entry.amount_minor;
            }
        }
        let unanswered = attempts::Entity::find()
            .filter(attempts::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
            .all(conn)
            .await?;
        let open = unanswered.into_iter().filter_map(|attempt| attempt.payment_id).collect();
        Ok(Self { payments: payments::Entity::find().all(conn).await?, cash_minor, open })
    }

    pub(super) fn cash_minor(&self, payment: PaymentId) -> i64 {
        self.cash_minor.get(&payment).copied().unwrap_or(0)
    }

    fn is_unknown(&self, payment: &payments::Model) -> bool {
        payment.status == PaymentState::Unknown || self.open.contains(&payment.id)
    }
}

/// Every payment on which the books differ. One charge too many under a payment's name counts too.
pub(super) fn differences(shop: &ShopBooks, books: &Books) -> Vec<Difference> {
    let mut found = Vec::new();
    for row in &shop.payments {
        let Some(charge) = &row.charge_id else { continue };
        let shop_minor = shop.cash_minor(row.id);
        let gateway_minor = books.get(charge).map_or(0, |kept| kept.net_minor);
        if shop_minor != gateway_minor {
            found.push(Difference {
                payment_id: Some(row.id),
                charge_id: charge.clone(),
                shop_minor,
                gateway_minor,
                is_unknown: shop.is_unknown(row),
            });
        }
    }
    for (charge, kept) in books {
        let is_known = shop.payments.iter().any(|row| row.charge_id.as_ref() == Some(charge));
        if !is_known && kept.net_minor != 0 {
            let payment = shop.payments.iter().find(|row| row.id.to_string() == kept.reference);
            found.push(Difference {
                payment_id: payment.map(|row| row.id),
                charge_id: charge.clone(),
                shop_minor: 0,
                gateway_minor: kept.net_minor,
                is_unknown: payment.is_some_and(|row| shop.is_unknown(row)),
            });
        }
    }
    found
}

/// The same on what a gateway's own books say, given as (charge, reference, net amount).
///
/// # Errors
/// When the database does not answer.
pub async fn reconcile_rows(shop: &Shop, charges: Vec<(String, String, i64)>) -> Result<Vec<Difference>> {
    let own = ShopBooks::load(shop.db.reader()).await?;
    let mut books = Books::new();
    for (charge, reference, net_minor) in charges {
        let kept = books.entry(charge).or_default();
        kept.net_minor += net_minor;
        kept.reference = reference;
    }
    Ok(differences(&own, &books))
}

/// Every invariant of the rows that does not hold, in words; none, when all is well.
///
/// # Errors
/// When the database does not answer.
pub async fn check(shop: &Shop) -> Result<Vec<String>> {
    let conn = shop.db.reader();
    let mut findings = Vec::new();
    let report = balances(conn).await?;
    let mut sums: BTreeMap<&str, i64> = BTreeMap::new();
    for line in &report.accounts {
        *sums.entry(line.currency.as_str()).or_default() += line.balance_minor;
    }
    for (currency, sum) in sums {
        if sum != 0 {
            findings.push(format!("the ledger sums to {sum} {currency}, not to zero"));
        }
    }
    findings.extend(payment_findings(conn).await?);
    findings.extend(stock_findings(conn).await?);
    findings.extend(sums::findings(conn, &report, shop.settings.rules).await?);
    Ok(findings)
}

async fn payment_findings(conn: &impl ConnectionTrait) -> Result<Vec<String>> {
    let mut findings = Vec::new();
    for row in payments::Entity::find().all(conn).await? {
        if row.captured_minor > row.authorized_minor || row.refunded_minor > row.captured_minor {
            findings.push(format!("payment {} captured or refunded more than it may", row.id));
        }
        let captures = attempts::Entity::find()
            .filter(attempts::Column::PaymentId.eq(row.id))
            .filter(attempts::Column::Kind.eq(AttemptKind::Authorize))
            .filter(attempts::Column::Outcome.eq(AttemptOutcome::Done))
            .all(conn)
            .await?;
        if captures.len() > 1 {
            findings.push(format!("payment {} was authorised {} times", row.id, captures.len()));
        }
    }
    Ok(findings)
}

async fn stock_findings(conn: &impl ConnectionTrait) -> Result<Vec<String>> {
    let bad = inventory_levels::Column::OnHand.lt(0).or(inventory_levels::Column::Reserved.lt(0));
    let rows = inventory_levels::Entity::find().filter(bad).all(conn).await?;
    Ok(rows
        .iter()
        .map(|row| format!("stock of {} at {} is below zero", row.variant_id, row.location_id))
        .collect())
}
