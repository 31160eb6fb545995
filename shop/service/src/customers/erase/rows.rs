//! Rows of the person's own.

use sea_orm::sea_query::Expr;
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, IntoActiveModel, QueryFilter, Set,
};
use shop_domain::status::{CartStatus, CustomerStatus};
use shop_store::columns::Tags;
use shop_store::entities::{
    addresses, carts, credit_entries, customers, disputes, fulfillments, order_notes, orders,
    payment_methods, payments, principals, refunds, returns, scans, tax_exemptions,
};

use super::ERASED;
use super::person::Person;
use super::scrub::{erased_address, is_prose};
use crate::Ctx;
use crate::error::Result;

pub(super) async fn erase(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    erase_accounts(tx, ctx, person).await?;
    erase_instruments(tx, ctx, person).await?;
    erase_carts(tx, ctx, person).await?;
    erase_orders(tx, ctx, person).await?;
    erase_parcels(tx, ctx, person).await?;
    erase_texts(tx, person).await
}

async fn erase_accounts(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    let accounts = customers::Entity::find().filter(customers::Column::Id.is_in(person.customers.clone()));
    for row in accounts.all(tx).await? {
        let (id, version) = (row.id, row.version + 1);
        let mut row = row.into_active_model();
        row.external_id = Set(None);
        // Unlike anybody's, so that it is free for whoever has that address.
        row.email = Set(format!("{id}@erased.invalid"));
        row.first_name = Set(ERASED.to_owned());
        row.last_name = Set(ERASED.to_owned());
        row.phone = Set(None);
        row.tags = Set(Tags::default());
        row.accepts_marketing = Set(false);
        row.status = Set(CustomerStatus::Anonymized);
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
    }
    tax_exemptions::Entity::update_many()
        .col_expr(tax_exemptions::Column::Certificate, Expr::value(ERASED))
        .filter(tax_exemptions::Column::CustomerId.is_in(person.customers.clone()))
        .exec(tx)
        .await?;
    addresses::Entity::delete_many()
        .filter(addresses::Column::CustomerId.is_in(person.customers.clone()))
        .exec(tx)
        .await?;
    for id in &person.principals {
        let row = principals::ActiveModel {
            id: Set(*id),
            name: Set(ERASED.to_owned()),
            // Nobody knows it, and nobody is let in with it.
            token: Set(format!("erased-{id}")),
            ..Default::default()
        };
        row.update(tx).await?;
    }
    Ok(())
}

/// What was paid is refunded by the gateway's own name for it, so no instrument is needed any more.
async fn erase_instruments(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    let saved = payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.is_in(person.customers.clone()));
    for row in saved.all(tx).await? {
        let (detached, version) = (row.detached_at.or_else(|| Some(ctx.now())), row.version + 1);
        let mut row = row.into_active_model();
        row.external_id = Set(None);
        row.token = Set(None);
        row.brand = Set(None);
        row.last4 = Set(None);
        row.label = Set(ERASED.to_owned());
        row.is_default = Set(false);
        row.detached_at = Set(detached);
        row.version = Set(version);
        row.update(tx).await?;
    }
    payments::Entity::update_many()
        .col_expr(payments::Column::Token, Expr::value(None::<String>))
        .filter(payments::Column::OrderId.is_in(person.orders.clone()))
        .exec(tx)
        .await?;
    Ok(())
}

async fn erase_carts(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    for row in carts::Entity::find().filter(carts::Column::Id.is_in(person.carts.clone())).all(tx).await? {
        let (is_open, version) = (row.status == CartStatus::Open, row.version + 1);
        let mut row = row.into_active_model();
        row.address_id = Set(None);
        row.shipping_address = Set(None);
        if is_open {
            row.status = Set(CartStatus::Abandoned);
        }
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
    }
    Ok(())
}

async fn erase_orders(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    for row in orders::Entity::find().filter(orders::Column::Id.is_in(person.orders.clone())).all(tx).await? {
        let (address, version) = (erased_address(&row.shipping_address.country), row.version + 1);
        let mut row = row.into_active_model();
        row.shipping_address = Set(address);
        row.contact_email = Set(ERASED.to_owned());
        row.contact_phone = Set(None);
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
    }
    Ok(())
}

async fn erase_parcels(tx: &impl ConnectionTrait, ctx: &Ctx, person: &Person) -> Result<()> {
    let own = fulfillments::Entity::find().filter(fulfillments::Column::Id.is_in(person.parcels.clone()));
    for row in own.all(tx).await? {
        let (address, version) = (erased_address(&row.destination.country), row.version + 1);
        let note = row.exception_note.as_ref().map(|_| ERASED.to_owned());
        let mut row = row.into_active_model();
        row.destination = Set(address);
        row.exception_note = Set(note);
        row.updated_at = Set(ctx.now());
        row.version = Set(version);
        row.update(tx).await?;
    }
    scans::Entity::update_many()
        .col_expr(scans::Column::Place, Expr::value(ERASED))
        .filter(scans::Column::FulfillmentId.is_in(person.parcels.clone()))
        .exec(tx)
        .await?;
    Ok(())
}

/// What people wrote, about orders of the person's.
async fn erase_texts(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let of_orders = || person.orders.clone();
    order_notes::Entity::update_many()
        .col_expr(order_notes::Column::Text, Expr::value(ERASED))
        .filter(order_notes::Column::OrderId.is_in(of_orders()))
        .exec(tx)
        .await?;
    returns::Entity::update_many()
        .col_expr(returns::Column::Note, Expr::value(ERASED))
        .filter(returns::Column::Id.is_in(person.returns.clone()))
        .filter(returns::Column::Note.is_not_null())
        .exec(tx)
        .await?;
    returns::Entity::update_many()
        .col_expr(returns::Column::RejectReason, Expr::value(ERASED))
        .filter(returns::Column::Id.is_in(person.returns.clone()))
        .filter(returns::Column::RejectReason.is_not_null())
        .exec(tx)
        .await?;
    disputes::Entity::update_many()
        .col_expr(disputes::Column::Evidence, Expr::value(ERASED))
        .filter(disputes::Column::OrderId.is_in(of_orders()))
        .filter(disputes::Column::Evidence.is_not_null())
        .exec(tx)
        .await?;
    for row in refunds::Entity::find().filter(refunds::Column::OrderId.is_in(of_orders())).all(tx).await? {
        if is_prose(&row.reason) {
            let mut row = row.into_active_model();
            row.reason = Set(ERASED.to_owned());
            row.update(tx).await?;
        }
    }
    let credit = credit_entries::Entity::find()
        .filter(credit_entries::Column::CustomerId.is_in(person.customers.clone()));
    for row in credit.all(tx).await?.into_iter().filter(|row| is_prose(&row.reason)) {
        let mut row = row.into_active_model();
        row.reason = Set(ERASED.to_owned());
        row.update(tx).await?;
    }
    Ok(())
}
