use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use serde_json::json;
use shop_domain::code::ErrorCode;
use shop_domain::customers::CustomerEvent;
use shop_domain::governance::{Owner, Role};
use shop_domain::ids::{BrandId, CustomerId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::CustomerStatus;
use shop_store::columns::Tags;
use shop_store::entities::{customers, stores};

use super::input::{Block, Create, Update, check_email, check_name, check_phone, check_tags};
use super::read::find;
use super::view::View;
use crate::error::{Error, Result};
use crate::start::Start;
use crate::text::must_fit;
use crate::{Ctx, Reply, events};

/// Opens an account.
///
/// # Errors
/// When the store is out of sight, the address is taken, or a field is bad.
pub async fn create(ctx: &Ctx, input: Create) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("create_customer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let missing = || Error::not_found(format!("store {}", input.store_id));
    let store = stores::Entity::find_by_id(input.store_id).one(&*tx).await?.ok_or_else(missing)?;
    let owner = Owner { brand: Some(store.brand_id), store: Some(store.id), customer: None };
    ctx.must_see(&owner, format!("store {}", store.id))?;
    check_email(&input.email)?;
    check_name(&input.first_name, "/first_name")?;
    check_name(&input.last_name, "/last_name")?;
    let phone = input.phone.filter(|phone| !phone.trim().is_empty());
    check_phone(phone.as_deref().unwrap_or_default())?;
    let tags = input.tags.unwrap_or_default();
    check_tags(&tags)?;
    must_be_free(&*tx, store.brand_id, &input.email, None).await?;
    let row = customers::ActiveModel {
        id: Set(ctx.id(CustomerId::new)),
        external_id: Set(None),
        brand_id: Set(store.brand_id),
        store_id: Set(store.id),
        email: Set(input.email),
        first_name: Set(input.first_name),
        last_name: Set(input.last_name),
        phone: Set(phone),
        status: Set(CustomerStatus::Active),
        tags: Set(Tags(tags)),
        accepts_marketing: Set(input.accepts_marketing.unwrap_or(false)),
        merged_into: Set(None),
        created_at: Set(ctx.now()),
        updated_at: Set(ctx.now()),
        version: Set(1),
    };
    let row = row.insert(&*tx).await?;
    events::record(&*tx, ctx, "customer.created", row.id, None, json!({})).await?;
    tx.finish(ctx, row.id, View::from(row)).await
}

/// Changes a customer's profile. Orders that were placed keep what they say.
///
/// # Errors
/// When they are out of sight or have moved on, or a field is bad.
pub async fn update(ctx: &Ctx, id: CustomerId, input: Update) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("update_customer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    match row.status {
        CustomerStatus::Active | CustomerStatus::Blocked => {}
        CustomerStatus::Anonymized => {
            return Err(Error::precondition(
                "customer_anonymized",
                "this customer's data was erased for good",
            ));
        }
        CustomerStatus::Merged => {
            let detail = "this account was folded into the one that merged_into names; change that one";
            return Err(Error::precondition("customer_merged", detail));
        }
    }
    let (brand, version) = (row.brand_id, row.version + 1);
    let mut row = row.into_active_model();
    if let Some(email) = input.email {
        check_email(&email)?;
        must_be_free(&*tx, brand, &email, Some(id)).await?;
        row.email = Set(email);
    }
    if let Some(name) = input.first_name {
        check_name(&name, "/first_name")?;
        row.first_name = Set(name);
    }
    if let Some(name) = input.last_name {
        check_name(&name, "/last_name")?;
        row.last_name = Set(name);
    }
    if let Some(phone) = input.phone {
        check_phone(&phone)?;
        row.phone = Set((!phone.trim().is_empty()).then_some(phone));
    }
    if let Some(tags) = input.tags {
        if ctx.principal.role == Role::Shopper {
            let detail = "tags are the shop's own notes; leave them out";
            return Err(Error::new(ErrorCode::Forbidden, detail).with_layer("capability"));
        }
        check_tags(&tags)?;
        row.tags = Set(Tags(tags));
    }
    if let Some(accepts) = input.accepts_marketing {
        row.accepts_marketing = Set(accepts);
    }
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    events::record(&*tx, ctx, "customer.updated", id, None, json!({})).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// Refuses new orders of a customer, who cannot sign in any more; or lifts that. Orders they have placed go on.
///
/// # Errors
/// When they are out of sight, have moved on or are so already, or no reason is given.
pub async fn block(ctx: &Ctx, id: CustomerId, input: Block) -> Result<Reply<View>> {
    let tx = match ctx.start(operation("block_customer")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let row = find(ctx, &*tx, id).await?;
    ctx.must_match(row.version)?;
    must_fit(&input.reason, limits::REASON_CHARS_MAX, "/reason")?;
    let event =
        if input.is_blocked.unwrap_or(true) { CustomerEvent::Blocked } else { CustomerEvent::Unblocked };
    let status = row.status.after(event);
    let status = status.map_err(|refusal| Error::precondition("customer_not_ready", refusal.to_string()))?;
    let version = row.version + 1;
    let mut row = row.into_active_model();
    row.status = Set(status);
    row.updated_at = Set(ctx.now());
    row.version = Set(version);
    let row = row.update(&*tx).await?;
    let data = json!({ "reason": input.reason });
    events::record(&*tx, ctx, &format!("customer.{event}"), id, None, data).await?;
    tx.finish(ctx, id, View::from(row)).await
}

/// An address names one account of a brand; one that was given up leaves it free.
async fn must_be_free(
    tx: &impl ConnectionTrait,
    brand: BrandId,
    email: &str,
    own: Option<CustomerId>,
) -> Result<()> {
    let others = customers::Entity::find()
        .filter(customers::Column::BrandId.eq(brand))
        .filter(customers::Column::Email.eq(email))
        .filter(customers::Column::Status.ne(CustomerStatus::Merged))
        .all(tx)
        .await?;
    match others.iter().all(|other| Some(other.id) == own) {
        true => Ok(()),
        false => {
            Err(Error::invalid("/email", "another account uses this address; find it with list_customers")
                .with_rule("email_taken"))
        }
    }
}
