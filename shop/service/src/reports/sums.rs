//! Numbers that are kept in two places and must say the same.

use std::collections::BTreeMap;

use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::after_sales::RulesMode;
use shop_domain::ids::{GiftCardId, LocationId, PaymentId, VariantId};
use shop_domain::ledger::Account;
use shop_domain::money::Currency;
use shop_domain::status::{RefundDestination, RefundStatus, ReservationStatus};
use shop_store::entities::{
    credit_accounts, gift_card_entries, gift_cards, inventory_levels, order_lines, payments, refunds,
    reservations,
};

use super::view::LedgerReport;
use crate::error::Result;
use crate::returns;

/// Everything that does not add up, in words.
pub(super) async fn findings(
    conn: &impl ConnectionTrait,
    ledger: &LedgerReport,
    rules: RulesMode,
) -> Result<Vec<String>> {
    let mut found = gift_cards(conn, ledger).await?;
    found.extend(store_credit(conn, ledger).await?);
    found.extend(reserved(conn).await?);
    found.extend(lines(conn, rules).await?);
    found.extend(refunded(conn).await?);
    Ok(found)
}

/// What is on the cards is what the books owe, and what each card's own entries come to.
async fn gift_cards(conn: &impl ConnectionTrait, ledger: &LedgerReport) -> Result<Vec<String>> {
    let mut entries: BTreeMap<GiftCardId, i64> = BTreeMap::new();
    for entry in gift_card_entries::Entity::find().all(conn).await? {
        *entries.entry(entry.gift_card_id).or_default() += entry.amount_minor;
    }
    let (mut found, mut owed) = (Vec::new(), BTreeMap::new());
    for card in gift_cards::Entity::find().all(conn).await? {
        *owed.entry(card.currency.as_str()).or_default() += card.balance_minor;
        let told = entries.get(&card.id).copied().unwrap_or(0);
        if told != card.balance_minor {
            found.push(format!(
                "gift card {} has {}, and its entries say {told}",
                card.id, card.balance_minor
            ));
        }
    }
    found.extend(owed_findings("gift cards", Account::GiftCards, &owed, ledger));
    Ok(found)
}

async fn store_credit(conn: &impl ConnectionTrait, ledger: &LedgerReport) -> Result<Vec<String>> {
    let mut owed = BTreeMap::new();
    for account in credit_accounts::Entity::find().all(conn).await? {
        *owed.entry(account.currency.as_str()).or_default() += account.balance_minor;
    }
    Ok(owed_findings("store credit", Account::StoreCredit, &owed, ledger))
}

/// What the shop owes is on the credit side: below zero.
fn owed_findings(
    what: &str,
    account: Account,
    owed: &BTreeMap<&'static str, i64>,
    ledger: &LedgerReport,
) -> Vec<String> {
    let mut found = Vec::new();
    for currency in Currency::ALL.iter().map(|currency| currency.as_str()) {
        let owed = owed.get(currency).copied().unwrap_or(0);
        let line =
            ledger.accounts.iter().find(|line| line.account == account && line.currency.as_str() == currency);
        let booked = line.map_or(0, |line| -line.balance_minor);
        if owed != booked {
            found.push(format!("{what} of {owed} {currency} are with customers, and the books owe {booked}"));
        }
    }
    found
}

/// What is reserved at a place is what somebody holds there.
async fn reserved(conn: &impl ConnectionTrait) -> Result<Vec<String>> {
    let mut held: BTreeMap<(VariantId, LocationId), i64> = BTreeMap::new();
    let active = reservations::Column::Status.eq(ReservationStatus::Active);
    for row in reservations::Entity::find().filter(active).all(conn).await? {
        *held.entry((row.variant_id, row.location_id)).or_default() += row.quantity;
    }
    let levels = inventory_levels::Entity::find().all(conn).await?;
    let wrong = levels.iter().filter_map(|level| {
        let held = held.get(&(level.variant_id, level.location_id)).copied().unwrap_or(0);
        (held != level.reserved).then(|| {
            let (variant, place) = (level.variant_id, level.location_id);
            format!("{} of {variant} are reserved at {place}, and {held} are held", level.reserved)
        })
    });
    Ok(wrong.collect())
}

/// A line's units and money never come to more than was ordered.
async fn lines(conn: &impl ConnectionTrait, rules: RulesMode) -> Result<Vec<String>> {
    let rows = order_lines::Entity::find().all(conn).await?;
    let wrong = rows.iter().filter(|line| {
        line.cancelled_quantity + line.shipped_quantity > line.quantity
            || line.delivered_quantity > line.shipped_quantity
            || line.return_quantity > returns::with_the_customer(line, rules)
            || line.received_quantity > line.return_quantity
            || line.received_quantity > line.shipped_quantity
            || line.refunded_quantity > line.quantity
            || line.refunded_minor > line.total_minor
            || [line.cancelled_quantity, line.received_quantity, line.refunded_minor].iter().any(|n| *n < 0)
    });
    Ok(wrong
        .map(|line| format!("the units or the money of line {} do not add up: {line:?}", line.id))
        .collect())
}

/// What went back the way it came is what its refunds say.
async fn refunded(conn: &impl ConnectionTrait) -> Result<Vec<String>> {
    let mut paid: BTreeMap<PaymentId, i64> = BTreeMap::new();
    let back = refunds::Column::Status
        .eq(RefundStatus::Succeeded)
        .and(refunds::Column::Destination.eq(RefundDestination::OriginalMethod));
    for row in refunds::Entity::find().filter(back).all(conn).await? {
        if let Some(payment) = row.payment_id {
            *paid.entry(payment).or_default() += row.amount_minor;
        }
    }
    let rows = payments::Entity::find().all(conn).await?;
    let wrong = rows.iter().filter_map(|row| {
        let paid = paid.get(&row.id).copied().unwrap_or(0);
        (paid > row.refunded_minor)
            .then(|| format!("payment {} gave back {paid}, and says {}", row.id, row.refunded_minor))
    });
    Ok(wrong.collect())
}
