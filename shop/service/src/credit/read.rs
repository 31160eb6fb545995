use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder, QuerySelect,
};
use shop_domain::ids::{CreditEntryId, CustomerId};
use shop_domain::operations::operation;
use shop_store::entities::{credit_accounts, credit_entries};

use super::view::{Account, Balance, Transaction};
use crate::error::Result;
use crate::page::{Page, PageQuery};
use crate::{Ctx, customers};

/// What a customer can spend, and what is held.
///
/// # Errors
/// When the customer is out of sight.
pub async fn balance(ctx: &Ctx, customer: CustomerId) -> Result<Balance> {
    ctx.may(operation("get_store_credit_balance"))?;
    customers::find(ctx, ctx.read()?, customer).await?;
    view(ctx.read()?, customer).await
}

/// Credits and debits, newest first.
///
/// # Errors
/// When the customer is out of sight, or the page is bad.
pub async fn transactions(ctx: &Ctx, customer: CustomerId, page: PageQuery) -> Result<Page<Transaction>> {
    ctx.may(operation("list_store_credit_transactions"))?;
    customers::find(ctx, ctx.read()?, customer).await?;
    let limit = page.limit()?;
    let mut query = credit_entries::Entity::find().filter(credit_entries::Column::CustomerId.eq(customer));
    if let Some(before) = page.after::<CreditEntryId>()? {
        query = query.filter(credit_entries::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(credit_entries::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Transaction::from))
}

/// The balance inside or outside a transaction.
pub(super) async fn view(conn: &impl ConnectionTrait, customer: CustomerId) -> Result<Balance> {
    let accounts = credit_accounts::Entity::find()
        .filter(credit_accounts::Column::CustomerId.eq(customer))
        .order_by_asc(credit_accounts::Column::Currency)
        .all(conn)
        .await?;
    // Entries are only ever added, so their number is a version.
    let entries = credit_entries::Entity::find()
        .filter(credit_entries::Column::CustomerId.eq(customer))
        .count(conn)
        .await?;
    Ok(Balance {
        customer_id: customer,
        accounts: accounts.into_iter().map(Account::from).collect(),
        version: i64::try_from(entries).unwrap_or(i64::MAX),
    })
}
