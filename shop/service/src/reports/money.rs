use std::collections::BTreeMap;

use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, EntityTrait, FromQueryResult, QuerySelect};
use shop_domain::code::ErrorCode;
use shop_domain::ledger::Account;
use shop_domain::limits;
use shop_domain::money::Currency;
use shop_domain::operations::operation;
use shop_gateway::Lookup;
use shop_store::entities::ledger_entries;

use super::check::{Books, Kept, ShopBooks, differences};
use super::view::{AccountBalance, LedgerReport, Reconciliation};
use crate::Ctx;
use crate::error::{Error, Result};

/// Entries of the gateway's statement per request.
const STATEMENT_PAGE: u32 = 100;

#[derive(FromQueryResult)]
struct Sum {
    account: Account,
    currency: Currency,
    balance_minor: i64,
}

/// Double-entry balances; the sum must be zero.
///
/// # Errors
/// When the caller may not.
pub async fn ledger(ctx: &Ctx) -> Result<LedgerReport> {
    ctx.may(operation("get_ledger_balances"))?;
    balances(ctx.read()?).await
}

pub(super) async fn balances(conn: &impl sea_orm::ConnectionTrait) -> Result<LedgerReport> {
    let sums = ledger_entries::Entity::find()
        .select_only()
        .column(ledger_entries::Column::Account)
        .column(ledger_entries::Column::Currency)
        .column_as(ledger_entries::Column::AmountMinor.sum().cast_as("bigint"), "balance_minor")
        .group_by(ledger_entries::Column::Account)
        .group_by(ledger_entries::Column::Currency)
        .into_model::<Sum>()
        .all(conn)
        .await?;
    let mut accounts: Vec<_> = sums
        .into_iter()
        .map(|sum| AccountBalance {
            account: sum.account,
            currency: sum.currency,
            balance_minor: sum.balance_minor,
        })
        .collect();
    accounts.sort_by_key(|line| (line.currency.as_str(), line.account.as_str()));
    Ok(LedgerReport { sum_minor: accounts.iter().map(|line| line.balance_minor).sum(), accounts })
}

/// The shop's books against the gateway's own, payment by payment.
///
/// # Errors
/// When the caller may not, or the gateway does not answer.
pub async fn reconciliation(ctx: &Ctx) -> Result<Reconciliation> {
    ctx.may(operation("get_payment_reconciliation"))?;
    let books = gateway_books(ctx).await?;
    let shop = ShopBooks::load(ctx.read()?).await?;
    let own = shop.payments.iter().filter(|row| row.charge_id.is_some());
    Ok(Reconciliation {
        payments: i64::try_from(own.clone().count()).unwrap_or(i64::MAX),
        shop_minor: own.map(|row| shop.cash_minor(row.id)).sum(),
        gateway_minor: books.values().map(|entry| entry.net_minor).sum(),
        differences: differences(&shop, &books),
    })
}

/// The gateway's statement, summed up by charge.
async fn gateway_books(ctx: &Ctx) -> Result<Books> {
    let mut books: Books = BTreeMap::new();
    let mut after = 0;
    loop {
        let Lookup::Found(page) = ctx.gateway()?.ledger(after, STATEMENT_PAGE).await else {
            let detail = "the payment gateway's statement cannot be read now; try again";
            return Err(Error::new(ErrorCode::UpstreamUnavailable, detail).after_ms(limits::RETRY_AFTER_MS));
        };
        for line in page.data {
            // The first line of a charge is its hold, whose reference is the payment; a refund has its own.
            let entry =
                books.entry(line.payment).or_insert_with(|| Kept { net_minor: 0, reference: line.reference });
            entry.net_minor += line.net_minor;
        }
        match page.next_after {
            Some(seq) => after = seq,
            None => return Ok(books),
        }
    }
}
