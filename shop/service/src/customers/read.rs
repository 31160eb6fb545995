use sea_orm::sea_query::{Expr, ExprTrait, Func, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};
use shop_domain::governance::{Owner, Scope};
use shop_domain::ids::CustomerId;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::{CustomerStatus, OrderStatus};
use shop_store::entities::{addresses, customers, orders, payments};

use super::input::Filter;
use super::view::{Known, Lifetime, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, orders as order_service};

/// Customers in sight, oldest account first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_customers"))?;
    let limit = page.limit()?;
    let mut query = customers::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(email) = filter.email {
        query = query.filter(customers::Column::Email.eq(email));
    }
    if let Some(phone) = filter.phone {
        query = query.filter(customers::Column::Phone.eq(phone));
    }
    if let Some(tag) = filter.tag {
        query = query.filter(has_tag(&tag)?);
    }
    for (column, name) in
        [(customers::Column::FirstName, filter.first_name), (customers::Column::LastName, filter.last_name)]
    {
        if let Some(name) = name {
            query = query.filter(Func::lower(Expr::col(column)).eq(name.to_lowercase()));
        }
    }
    if let Some(code) = filter.postal_code {
        query = query.filter(customers::Column::Id.in_subquery(living_at(&code)));
    }
    if let Some(status) = filter.status {
        query = query.filter(customers::Column::Status.eq(status));
    }
    if let Some(store) = filter.store_id {
        query = query.filter(customers::Column::StoreId.eq(store));
    }
    if let Some(after) = page.after::<CustomerId>()? {
        query = query.filter(customers::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(customers::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One customer, with what they bought in all.
///
/// # Errors
/// When they are out of sight.
pub async fn get(ctx: &Ctx, id: CustomerId) -> Result<View> {
    ctx.may(operation("get_customer"))?;
    let conn = ctx.read()?;
    let row = find(ctx, conn, id).await?;
    let lifetime = lifetime(conn, id).await?;
    Ok(View { lifetime: Some(lifetime), ..row.into() })
}

/// Customers in sight of whom any of some words is a name, a phone number or an email address, or whose name in
/// another shop is the whole phrase. Words are in lower case.
///
/// # Errors
/// When the caller may not.
pub async fn named(ctx: &Ctx, phrase: &str, words: &[String]) -> Result<Vec<Known>> {
    ctx.may(operation("list_customers"))?;
    let mut is_meant = customers::Column::ExternalId.eq(phrase);
    for column in [
        customers::Column::FirstName,
        customers::Column::LastName,
        customers::Column::Email,
        customers::Column::Phone,
    ] {
        is_meant = is_meant.or(Expr::expr(Func::lower(Expr::col(column))).is_in(words));
    }
    let rows = customers::Entity::find()
        .filter(in_sight(&ctx.principal.scope))
        .filter(customers::Column::Status.ne(CustomerStatus::Anonymized))
        .filter(is_meant)
        .order_by_asc(customers::Column::Id)
        .limit(u64::from(limits::PAGE_MAX))
        .all(ctx.read()?)
        .await?;
    let ids = rows.iter().map(|row| row.id);
    let book =
        addresses::Entity::find().filter(addresses::Column::CustomerId.is_in(ids)).all(ctx.read()?).await?;
    let known = |row: customers::Model| {
        let own = book.iter().filter(|entry| entry.customer_id == row.id);
        Known {
            addresses: own.map(|entry| entry.address.clone()).collect(),
            external_id: row.external_id.clone(),
            customer: row.into(),
        }
    };
    Ok(rows.into_iter().map(known).collect())
}

async fn lifetime(conn: &impl ConnectionTrait, id: CustomerId) -> Result<Vec<Lifetime>> {
    let bought = orders::Entity::find().filter(orders::Column::CustomerId.eq(id)).all(conn).await?;
    let taken = payments::Entity::find()
        .filter(payments::Column::OrderId.in_subquery(order_service::ids_of_customer(Some(id))))
        .all(conn)
        .await?;
    let mut all: Vec<Lifetime> = Vec::new();
    for order in &bought {
        let at = match all.iter().position(|known| known.currency == order.currency) {
            Some(at) => at,
            None => {
                let currency = order.currency;
                all.push(Lifetime { currency, orders: 0, paid_minor: 0, refunded_minor: 0 });
                all.len() - 1
            }
        };
        let Some(known) = all.get_mut(at) else { continue };
        known.orders += i64::from(order.status != OrderStatus::Cancelled);
        for payment in taken.iter().filter(|payment| payment.order_id == order.id) {
            known.paid_minor += payment.captured_minor;
            known.refunded_minor += payment.refunded_minor;
        }
    }
    Ok(all)
}

/// One customer in sight.
pub(crate) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: CustomerId) -> Result<customers::Model> {
    let missing = || Error::not_found(format!("customer {id}"));
    let row = customers::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&row), format!("customer {id}"))?;
    Ok(row)
}

pub(crate) fn owner(row: &customers::Model) -> Owner {
    Owner { brand: Some(row.brand_id), store: Some(row.store_id), customer: Some(row.id) }
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => customers::Column::BrandId.eq(brand),
        Scope::Store(store) => customers::Column::StoreId.eq(store),
        Scope::Customer(customer) => customers::Column::Id.eq(customer),
    }
}

/// Tags are a JSON list: a tag is found as the JSON text it is there.
fn living_at(postal_code: &str) -> SelectStatement {
    let is_there = Expr::cust_with_values("address->>'postal_code' = ?", [postal_code]);
    let people = addresses::Entity::find().select_only().column(addresses::Column::CustomerId);
    people.filter(is_there).into_query()
}

fn has_tag(tag: &str) -> Result<SimpleExpr> {
    let text = serde_json::to_string(tag).map_err(|cause| Error::invalid("/tag", cause.to_string()))?;
    let escaped = text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    let like = sea_orm::sea_query::LikeExpr::new(format!("%{escaped}%")).escape('\\');
    Ok(Expr::col(customers::Column::Tags).cast_as("text").like(like))
}
