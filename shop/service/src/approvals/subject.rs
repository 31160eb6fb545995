//! What an approval is about: whose it is, and how it stood when it was asked for.

use sea_orm::{ConnectionTrait, EntityTrait};
use serde_json::Value;
use shop_domain::governance::Owner;
use shop_domain::ids::{
    CustomerId, DisputeId, ExchangeId, FulfillmentId, OrderEditId, OrderId, ReturnId, StaffId, StoreId,
};
use shop_domain::money::Currency;
use shop_domain::operations::Operation;
use shop_domain::policy::Policy;
use shop_store::entities::{disputes, exchanges, fulfillments, order_edits, orders, returns, stores};

use super::input::Request;
use crate::error::{Error, Result};
use crate::{Ctx, after_sales, customers, orders as order_service, staff};

/// The thing in an operation's path.
pub(super) struct Subject {
    /// Who may see and decide it.
    pub(super) owner: Owner,
    pub(super) version: i64,
    pub(super) currency: Option<Currency>,
    pub(super) order_id: Option<OrderId>,
    pub(super) approval_hours: i64,
}

/// The subject of a request, if it is in sight.
pub(super) async fn subject_of(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    wanted: &Operation,
    request: &Request,
) -> Result<Subject> {
    if let Ok(id) = request.subject.parse::<StaffId>() {
        return of_staff(tx, ctx, wanted, id, request).await;
    }
    let missing = || Error::not_found(&request.subject);
    if let Ok(id) = request.subject.parse::<CustomerId>() {
        let row = customers::find(ctx, tx, id).await.map_err(|_| missing())?;
        let store = store_of(tx, row.store_id).await?;
        return Ok(of_store(&store, Some(id), row.version));
    }
    if let Ok(id) = request.subject.parse::<StoreId>() {
        let store = store_of(tx, id).await.map_err(|_| missing())?;
        let subject = of_store(&store, None, store.version);
        ctx.must_see(&subject.owner, &request.subject)?;
        return Ok(subject);
    }
    let order = order_of(tx, &request.subject).await?;
    let order = order_service::find(ctx, tx, order).await.map_err(|_| missing())?;
    let policy = after_sales::policy_of(tx, &order).await?;
    Ok(Subject {
        owner: order_service::owner(&order),
        version: order.version,
        currency: Some(order.currency),
        order_id: Some(order.id),
        approval_hours: policy.approval_hours,
    })
}

/// What a store gives, to a customer or to nobody in particular.
fn of_store(store: &stores::Model, customer: Option<CustomerId>, version: i64) -> Subject {
    Subject {
        owner: Owner { brand: Some(store.brand_id), store: Some(store.id), customer },
        version,
        currency: Some(store.currency),
        order_id: None,
        approval_hours: store.policy.approval_hours,
    }
}

async fn store_of(tx: &impl ConnectionTrait, id: StoreId) -> Result<stores::Model> {
    let row = stores::Entity::find_by_id(id).one(tx).await?;
    row.ok_or_else(|| Error::not_found(format!("store {id}")))
}

/// A grant is decided where it would hold: nobody below signs off what reaches above them.
async fn of_staff(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    wanted: &Operation,
    id: StaffId,
    request: &Request,
) -> Result<Subject> {
    let member = staff::find(ctx, tx, id).await?;
    let owner = if wanted.id == "grant_staff_role" {
        let input = serde_json::from_value(Value::Object(request.input.clone()))
            .map_err(|cause| Error::invalid("/input", format!("this is no role grant: {cause}")))?;
        staff::place_of_grant(ctx, tx, &member, &input).await?.owner
    } else {
        staff::owner(&member.principal)
    };
    Ok(Subject {
        owner,
        version: member.row.version,
        currency: None,
        order_id: None,
        approval_hours: Policy::default().approval_hours,
    })
}

/// The order a subject belongs to.
async fn order_of(tx: &impl ConnectionTrait, subject: &str) -> Result<OrderId> {
    let missing = || Error::not_found(subject);
    if let Ok(id) = subject.parse::<OrderId>() {
        return orders::Entity::find_by_id(id).one(tx).await?.map(|row| row.id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<ReturnId>() {
        return returns::Entity::find_by_id(id).one(tx).await?.map(|row| row.order_id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<ExchangeId>() {
        return exchanges::Entity::find_by_id(id).one(tx).await?.map(|row| row.order_id).ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<FulfillmentId>() {
        return fulfillments::Entity::find_by_id(id)
            .one(tx)
            .await?
            .map(|row| row.order_id)
            .ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<OrderEditId>() {
        return order_edits::Entity::find_by_id(id)
            .one(tx)
            .await?
            .map(|row| row.order_id)
            .ok_or_else(missing);
    }
    if let Ok(id) = subject.parse::<DisputeId>() {
        return disputes::Entity::find_by_id(id).one(tx).await?.map(|row| row.order_id).ok_or_else(missing);
    }
    let message = "the subject is the id of an order, order edit, return, exchange, fulfillment, dispute, customer, store or staff member";
    Err(Error::invalid("/subject", message))
}
