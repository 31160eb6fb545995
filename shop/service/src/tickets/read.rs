use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect};
use shop_domain::governance::{Owner, Role, Scope};
use shop_domain::ids::TicketId;
use shop_domain::operations::operation;
use shop_store::entities::{orders, ticket_messages, tickets};

use super::input::Filter;
use super::view::{Message, View};
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::{Ctx, fulfillments};

/// Tickets in sight, newest first.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list(ctx: &Ctx, filter: Filter, page: PageQuery) -> Result<Page<View>> {
    ctx.may(operation("list_tickets"))?;
    let limit = page.limit()?;
    let mut query = tickets::Entity::find().filter(in_sight(&ctx.principal.scope));
    if let Some(status) = filter.status {
        query = query.filter(tickets::Column::Status.eq(status));
    }
    if let Some(assignee) = filter.assignee_id {
        query = query.filter(tickets::Column::AssigneeId.eq(assignee));
    }
    if let Some(customer) = filter.customer_id {
        query = query.filter(tickets::Column::CustomerId.eq(customer));
    }
    if let Some(order) = filter.order_id {
        query = query.filter(tickets::Column::OrderId.eq(order));
    }
    if let Some(before) = page.after::<TicketId>()? {
        query = query.filter(tickets::Column::Id.lt(before));
    }
    let rows = query.order_by_desc(tickets::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(View::from))
}

/// One ticket with its thread and its order.
///
/// # Errors
/// When it is out of sight.
pub async fn get(ctx: &Ctx, id: TicketId) -> Result<View> {
    ctx.may(operation("get_ticket"))?;
    let conn = ctx.read()?;
    let row = find(ctx, conn, id).await?;
    let order = match row.order_id {
        Some(order) => orders::Entity::find_by_id(order).one(conn).await?,
        None => None,
    };
    let order = match order {
        Some(order) => Some(fulfillments::catch_up_for_read(ctx, order).await?.into()),
        None => None,
    };
    let mut thread = ticket_messages::Entity::find().filter(ticket_messages::Column::TicketId.eq(id));
    if ctx.principal.role == Role::Shopper {
        thread = thread.filter(ticket_messages::Column::IsInternal.eq(false));
    }
    let thread = thread.order_by_asc(ticket_messages::Column::Id).all(conn).await?;
    let messages = Some(thread.into_iter().map(Message::from).collect());
    Ok(View { order, messages, ..row.into() })
}

/// One ticket in sight.
pub(super) async fn find(ctx: &Ctx, conn: &impl ConnectionTrait, id: TicketId) -> Result<tickets::Model> {
    let missing = || Error::not_found(format!("ticket {id}"));
    let row = tickets::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
    ctx.must_see(&owner(&row), format!("ticket {id}"))?;
    Ok(row)
}

pub(crate) fn owner(row: &tickets::Model) -> Owner {
    Owner { brand: Some(row.brand_id), store: Some(row.store_id), customer: Some(row.customer_id) }
}

fn in_sight(scope: &Scope) -> SimpleExpr {
    match *scope {
        Scope::Tenant => Expr::value(true),
        Scope::Brand(brand) => tickets::Column::BrandId.eq(brand),
        Scope::Store(store) => tickets::Column::StoreId.eq(store),
        Scope::Customer(customer) => tickets::Column::CustomerId.eq(customer),
    }
}
