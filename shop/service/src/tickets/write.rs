use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, PaginatorTrait,
    QueryFilter, Set,
};
use serde_json::json;
use shop_domain::governance::{Role, Scope};
use shop_domain::ids::{CustomerId, OrderId, TicketId, TicketMessageId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::TicketStatus;
use shop_domain::tickets::TicketEvent;
use shop_store::entities::{customers as customer_rows, ticket_messages, tickets};

use super::input::{Close, Create, Escalate, Reply};
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, customers, events, orders};

/// Opens a case. Nothing is changed about the order it is about.
///
/// # Errors
/// When customer or order are out of sight or do not belong together, or a text is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("create_ticket")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    must_fit(&input.subject, limits::NAME_CHARS_MAX, "/subject")?;
    must_fit(&input.text, limits::TEXT_CHARS_MAX, "/text")?;
    let customer = customer_of(&*tx, ctx, input.customer_id, input.order_id).await?;
    let is_staff = is_staff(ctx);
    let row = tickets::ActiveModel {
        id: Set(ctx.id(TicketId::new)),
        brand_id: Set(customer.brand_id),
        store_id: Set(customer.store_id),
        customer_id: Set(customer.id),
        order_id: Set(input.order_id),
        subject: Set(input.subject),
        status: Set(TicketStatus::Open),
        assignee_id: Set(is_staff.then_some(ctx.principal.id)),
        team: Set(None),
        resolution: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        closed_at: Set(None),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    say(&*tx, ctx, row.id, input.text, false).await?;
    let data = json!({ "customer_id": row.customer_id, "order_id": row.order_id });
    events::record(&*tx, ctx, "ticket.created", row.id, None, data).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Writes on a case; a reply reopens a closed one. An internal message is for staff only and moves nothing.
///
/// # Errors
/// When the ticket is out of sight, has moved on or is full, or the text is bad.
pub async fn reply(ctx: &Ctx, id: TicketId, input: Reply) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("reply_to_ticket")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_fit(&input.text, limits::TEXT_CHARS_MAX, "/text")?;
    let is_staff = is_staff(ctx);
    if input.is_internal && !is_staff {
        let message = "only staff write internal messages; leave it out";
        return Err(Error::invalid("/is_internal", message));
    }
    say(&*tx, ctx, id, input.text, input.is_internal).await?;
    if input.is_internal {
        let row = touch(&*tx, ctx, row).await?;
        return tx.finish(ctx, id, View::from(row)).await;
    }
    let event = if is_staff { TicketEvent::StaffReplied } else { TicketEvent::CustomerReplied };
    let is_taken = row.assignee_id.is_some() || !is_staff;
    let mut row = moved(row, event)?;
    row.closed_at = Set(None);
    row.resolution = Set(None);
    if !is_taken {
        row.assignee_id = Set(Some(ctx.principal.id));
    }
    row.updated_at = Set(ctx.now());
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "ticket.replied", id, None, json!({ "is_staff": is_staff })).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Passes a case to a team of people; nobody has it until one of them answers.
///
/// # Errors
/// When the ticket is out of sight, has moved on, is escalated or closed, or a text is bad.
pub async fn escalate(ctx: &Ctx, id: TicketId, input: Escalate) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("escalate_ticket")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_fit(&input.team, limits::CODE_CHARS_MAX, "/team")?;
    must_fit(&input.summary, limits::TEXT_CHARS_MAX, "/summary")?;
    let mut row = moved(row, TicketEvent::Escalated)?;
    say(&*tx, ctx, id, input.summary, is_staff(ctx)).await?;
    row.team = Set(Some(input.team));
    row.assignee_id = Set(None);
    row.updated_at = Set(ctx.now());
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "ticket.escalated", id, None, json!({ "team": row.team })).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Ends a case.
///
/// # Errors
/// When the ticket is out of sight, has moved on or is closed, or the code is not the caller's to give.
pub async fn close(ctx: &Ctx, id: TicketId, input: Close) -> Result<crate::Reply<View>> {
    let tx = match ctx.start(operation("close_ticket")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    if !is_staff(ctx) && !input.resolution.is_customers() {
        let message = "customers close a ticket as solved or no_longer_needed";
        return Err(Error::invalid("/resolution", message));
    }
    let mut row = moved(row, TicketEvent::Closed)?;
    row.resolution = Set(Some(input.resolution));
    row.closed_at = Set(Some(ctx.now()));
    row.updated_at = Set(ctx.now());
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "ticket.closed", id, None, json!({ "resolution": input.resolution })).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Whose case it is: who is named, whose order it is about, or the shopper.
async fn customer_of(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    named: Option<CustomerId>,
    order: Option<OrderId>,
) -> Result<customer_rows::Model> {
    let buyer = match order {
        Some(order) => orders::find(ctx, tx, order).await?.customer_id,
        None => None,
    };
    let own = match ctx.principal.scope {
        Scope::Customer(customer) => Some(customer),
        Scope::Tenant | Scope::Brand(_) | Scope::Store(_) => None,
    };
    let id = named.or(buyer).or(own).ok_or_else(|| {
        Error::invalid("/customer_id", "say whose case it is; the order, if any, is a guest's")
    })?;
    if order.is_some() && buyer != Some(id) {
        return Err(Error::invalid("/order_id", "the order is another customer's; leave it out"));
    }
    customers::find(ctx, tx, id).await
}

fn is_staff(ctx: &Ctx) -> bool {
    ctx.principal.role != Role::Shopper
}

fn moved(row: tickets::Model, event: TicketEvent) -> Result<tickets::ActiveModel> {
    let status = row.status.after(event);
    let status = status.map_err(|refusal| Error::precondition("ticket_state", refusal.to_string()))?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.version = Set(version);
    Ok(row)
}

async fn touch(tx: &impl ConnectionTrait, ctx: &Ctx, row: tickets::Model) -> Result<tickets::Model> {
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    Ok(row.update(tx).await?)
}

async fn say(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    ticket: TicketId,
    text: String,
    is_internal: bool,
) -> Result<()> {
    let own = ticket_messages::Entity::find().filter(ticket_messages::Column::TicketId.eq(ticket));
    if own.count(tx).await? >= limits::TICKET_MESSAGES_MAX {
        let max = limits::TICKET_MESSAGES_MAX;
        return Err(Error::precondition(
            "ticket_full",
            format!("a ticket has at most {max} messages; open another"),
        ));
    }
    let row = ticket_messages::ActiveModel {
        id: Set(ctx.id(TicketMessageId::new)),
        ticket_id: Set(ticket),
        author_id: Set(ctx.principal.id),
        author_name: Set(ctx.principal.name.clone()),
        is_staff: Set(is_staff(ctx)),
        is_internal: Set(is_internal),
        text: Set(text),
        created_at: Set(ctx.now()),
    };
    row.insert(tx).await?;
    Ok(())
}
