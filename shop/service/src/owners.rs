//! Whom a thing belongs to, by nothing but its id.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::governance::Owner;
use shop_domain::ids::*;
use shop_store::entities::*;

use crate::error::Result;

/// What is known of an id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    By(Owner),
    /// There is no such thing.
    Absent,
    /// Whose things of this kind are is not written on them.
    Unknown,
}

/// Whom the thing with this id belongs to.
pub(crate) async fn owner_of(conn: &impl ConnectionTrait, id: &str) -> Result<Found> {
    let Some((prefix, _)) = id.split_once('_') else { return Ok(Found::Unknown) };
    let owner = match prefix {
        OrderId::PREFIX
        | PaymentId::PREFIX
        | RefundId::PREFIX
        | ReturnId::PREFIX
        | ExchangeId::PREFIX
        | FulfillmentId::PREFIX => of_order(conn, order_of(conn, id).await?).await,
        CustomerId::PREFIX | AddressId::PREFIX | PaymentMethodId::PREFIX => {
            of_customer(conn, customer_of(conn, id).await?).await
        }
        BrandId::PREFIX
        | StoreId::PREFIX
        | ProductId::PREFIX
        | VariantId::PREFIX
        | LocationId::PREFIX
        | PromotionId::PREFIX => of_goods(conn, id).await,
        CartId::PREFIX | GiftCardId::PREFIX => of_store_and_customer(conn, id).await,
        TicketId::PREFIX | ReviewId::PREFIX => of_support(conn, id).await,
        ApprovalId::PREFIX | StaffId::PREFIX | WebhookEndpointId::PREFIX | WebhookDeliveryId::PREFIX => {
            of_office(conn, id).await
        }
        _ => return Ok(Found::Unknown),
    }?;
    Ok(owner.map_or(Found::Absent, Found::By))
}

/// The order that something belongs to.
async fn order_of(conn: &impl ConnectionTrait, id: &str) -> Result<Option<OrderId>> {
    if let Ok(id) = id.parse::<PaymentId>() {
        return Ok(payments::Entity::find_by_id(id).one(conn).await?.map(|row| row.order_id));
    }
    if let Ok(id) = id.parse::<RefundId>() {
        return Ok(refunds::Entity::find_by_id(id).one(conn).await?.map(|row| row.order_id));
    }
    if let Ok(id) = id.parse::<ReturnId>() {
        return Ok(returns::Entity::find_by_id(id).one(conn).await?.map(|row| row.order_id));
    }
    if let Ok(id) = id.parse::<ExchangeId>() {
        return Ok(exchanges::Entity::find_by_id(id).one(conn).await?.map(|row| row.order_id));
    }
    if let Ok(id) = id.parse::<FulfillmentId>() {
        return Ok(fulfillments::Entity::find_by_id(id).one(conn).await?.map(|row| row.order_id));
    }
    Ok(id.parse().ok())
}

async fn of_order(conn: &impl ConnectionTrait, id: Option<OrderId>) -> Result<Option<Owner>> {
    let Some(id) = id else { return Ok(None) };
    let row = orders::Entity::find_by_id(id).one(conn).await?;
    Ok(row.map(|row| crate::orders::owner(&row)))
}

async fn customer_of(conn: &impl ConnectionTrait, id: &str) -> Result<Option<CustomerId>> {
    if let Ok(id) = id.parse::<AddressId>() {
        return Ok(addresses::Entity::find_by_id(id).one(conn).await?.map(|row| row.customer_id));
    }
    if let Ok(id) = id.parse::<PaymentMethodId>() {
        return Ok(payment_methods::Entity::find_by_id(id).one(conn).await?.map(|row| row.customer_id));
    }
    Ok(id.parse().ok())
}

async fn of_customer(conn: &impl ConnectionTrait, id: Option<CustomerId>) -> Result<Option<Owner>> {
    let Some(id) = id else { return Ok(None) };
    let row = customers::Entity::find_by_id(id).one(conn).await?;
    Ok(row.map(|row| crate::customers::owner(&row)))
}

async fn of_store(
    conn: &impl ConnectionTrait,
    id: StoreId,
    customer: Option<CustomerId>,
) -> Result<Option<Owner>> {
    let row = stores::Entity::find_by_id(id).one(conn).await?;
    Ok(row.map(|row| Owner { brand: Some(row.brand_id), store: Some(row.id), customer }))
}

async fn of_store_and_customer(conn: &impl ConnectionTrait, id: &str) -> Result<Option<Owner>> {
    if let Ok(id) = id.parse::<CartId>() {
        let Some(row) = carts::Entity::find_by_id(id).one(conn).await? else { return Ok(None) };
        return of_store(conn, row.store_id, row.customer_id).await;
    }
    let Ok(id) = id.parse::<GiftCardId>() else { return Ok(None) };
    let Some(row) = gift_cards::Entity::find_by_id(id).one(conn).await? else { return Ok(None) };
    of_store(conn, row.store_id, row.customer_id).await
}

/// What a brand or a store has, and no customer.
async fn of_goods(conn: &impl ConnectionTrait, id: &str) -> Result<Option<Owner>> {
    let of_brand = |brand| Owner { brand: Some(brand), ..Owner::default() };
    if let Ok(id) = id.parse::<BrandId>() {
        return Ok(brands::Entity::find_by_id(id).one(conn).await?.map(|row| of_brand(row.id)));
    }
    if let Ok(id) = id.parse::<StoreId>() {
        return of_store(conn, id, None).await;
    }
    if let Ok(id) = id.parse::<LocationId>() {
        let Some(row) = locations::Entity::find_by_id(id).one(conn).await? else { return Ok(None) };
        return of_store(conn, row.store_id, None).await;
    }
    if let Ok(id) = id.parse::<PromotionId>() {
        let Some(row) = promotions::Entity::find_by_id(id).one(conn).await? else { return Ok(None) };
        return match row.store_id {
            Some(store) => of_store(conn, store, None).await,
            None => Ok(Some(Owner::default())),
        };
    }
    let product = match id.parse::<VariantId>() {
        Ok(id) => variants::Entity::find_by_id(id).one(conn).await?.map(|row| row.product_id),
        Err(_) => id.parse().ok(),
    };
    let Some(product) = product else { return Ok(None) };
    Ok(products::Entity::find_by_id(product).one(conn).await?.map(|row| of_brand(row.brand_id)))
}

async fn of_support(conn: &impl ConnectionTrait, id: &str) -> Result<Option<Owner>> {
    if let Ok(id) = id.parse::<TicketId>() {
        let row = tickets::Entity::find_by_id(id).one(conn).await?;
        return Ok(row.map(|row| crate::tickets::owner(&row)));
    }
    let Ok(id) = id.parse::<ReviewId>() else { return Ok(None) };
    let row = reviews::Entity::find_by_id(id).one(conn).await?;
    Ok(row.map(|row| crate::reviews::owner(&row)))
}

/// What staff run the shop with.
async fn of_office(conn: &impl ConnectionTrait, id: &str) -> Result<Option<Owner>> {
    let owner = crate::staff::owner_of;
    if let Ok(id) = id.parse::<ApprovalId>() {
        let row = approvals::Entity::find_by_id(id).one(conn).await?;
        return Ok(row.map(|row| Owner { customer: row.customer_id, ..owner(row.brand_id, row.store_id) }));
    }
    if let Ok(id) = id.parse::<StaffId>() {
        let Some(row) = staff::Entity::find_by_id(id).one(conn).await? else { return Ok(None) };
        let who = principals::Entity::find_by_id(row.principal_id).one(conn).await?;
        return Ok(who.map(|row| owner(row.brand_id, row.store_id)));
    }
    let endpoint = match id.parse::<WebhookDeliveryId>() {
        Ok(id) => {
            let sent = webhook_deliveries::Entity::find().filter(webhook_deliveries::Column::Id.eq(id));
            sent.one(conn).await?.map(|row| row.endpoint_id)
        }
        Err(_) => id.parse().ok(),
    };
    let Some(endpoint) = endpoint else { return Ok(None) };
    let row = webhook_endpoints::Entity::find_by_id(endpoint).one(conn).await?;
    Ok(row.map(|row| owner(row.brand_id, row.store_id)))
}
