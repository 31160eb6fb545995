use std::collections::{BTreeMap, BTreeSet};

use sea_orm::sea_query::ExprTrait;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::ids::PaymentId;
use shop_domain::status::{AttemptKind, AttemptOutcome};
use shop_store::entities::{attempts, inventory_levels, payments};

use super::money::balances;
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

/// Every payment on which the books differ. One charge too many under a payment's name counts too.
pub(super) fn differences(
    rows: &[payments::Model],
    unknown: &BTreeSet<PaymentId>,
    books: &Books,
) -> Vec<Difference> {
    let mut found = Vec::new();
    for row in rows {
        let shop_minor = row.captured_minor - row.refunded_minor;
        let (charge_id, gateway_minor) = match &row.charge_id {
            Some(charge) => (charge.clone(), books.get(charge).map_or(0, |kept| kept.net_minor)),
            None => continue,
        };
        if shop_minor != gateway_minor {
            let is_unknown = unknown.contains(&row.id);
            found.push(Difference {
                payment_id: Some(row.id),
                charge_id,
                shop_minor,
                gateway_minor,
                is_unknown,
            });
        }
    }
    for (charge, kept) in books {
        let is_known = rows.iter().any(|row| row.charge_id.as_ref() == Some(charge));
        if !is_known && kept.net_minor != 0 {
            let payment = rows.iter().find(|row| row.id.to_string() == kept.reference);
            found.push(Difference {
                payment_id: payment.map(|row| row.id),
                charge_id: charge.clone(),
                shop_minor: 0,
                gateway_minor: kept.net_minor,
                is_unknown: payment.is_some_and(|row| unknown.contains(&row.id)),
            });
        }
    }
    found
}

/// Payments on which a call to the gateway, a refund's included, has no answer yet.
pub(super) async fn unanswered(conn: &impl ConnectionTrait) -> Result<BTreeSet<PaymentId>> {
    let open = attempts::Entity::find()
        .filter(attempts::Column::Outcome.is_in([AttemptOutcome::Pending, AttemptOutcome::Unknown]))
        .all(conn)
        .await?;
    Ok(open.into_iter().filter_map(|attempt| attempt.payment_id).collect())
}

/// The same on what a gateway's own books say, given as (charge, reference, net amount).
///
/// # Errors
/// When the database does not answer.
pub async fn reconcile_rows(shop: &Shop, charges: Vec<(String, String, i64)>) -> Result<Vec<Difference>> {
    let rows = payments::Entity::find().all(shop.db.reader()).await?;
    let mut books = Books::new();
    for (charge, reference, net_minor) in charges {
        let kept = books.entry(charge).or_default();
        kept.net_minor += net_minor;
        kept.reference = reference;
    }
    let unknown = unanswered(shop.db.reader()).await?;
    Ok(differences(&rows, &unknown, &books))
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
