//! The rows of a seeded shop, gathered in memory and written in bulk.

use anyhow::Context;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Iterable};
use shop_store::Tx;
use shop_store::entities::*;

use crate::books::Numbered;

/// What one statement may bind on SQLite, and how many rows of it are still worth it.
const PARAMETERS_MAX: usize = 32_766;
const ROWS_MAX: usize = 500;

/// One vector a table, in the order in which rows must be written.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) brands: Vec<brands::Model>,
    pub(crate) stores: Vec<stores::Model>,
    pub(crate) principals: Vec<principals::Model>,
    pub(crate) staff: Vec<staff::Model>,
    pub(crate) roles: Vec<roles::Model>,
    pub(crate) role_grants: Vec<role_grants::Model>,
    pub(crate) webhook_endpoints: Vec<webhook_endpoints::Model>,
    pub(crate) categories: Vec<categories::Model>,
    pub(crate) products: Vec<products::Model>,
    pub(crate) product_media: Vec<product_media::Model>,
    pub(crate) variants: Vec<variants::Model>,
    pub(crate) locations: Vec<locations::Model>,
    pub(crate) inventory_levels: Vec<inventory_levels::Model>,
    pub(crate) inventory_adjustments: Vec<inventory_adjustments::Model>,
    pub(crate) inventory_transfers: Vec<inventory_transfers::Model>,
    pub(crate) reservations: Vec<reservations::Model>,
    pub(crate) holds: Vec<holds::Model>,
    pub(crate) collections: Vec<collections::Model>,
    pub(crate) price_lists: Vec<price_lists::Model>,
    pub(crate) price_list_entries: Vec<price_list_entries::Model>,
    pub(crate) promotions: Vec<promotions::Model>,
    pub(crate) coupons: Vec<coupons::Model>,
    pub(crate) customers: Vec<customers::Model>,
    pub(crate) tax_exemptions: Vec<tax_exemptions::Model>,
    pub(crate) addresses: Vec<addresses::Model>,
    pub(crate) payment_methods: Vec<payment_methods::Model>,
    pub(crate) credit_accounts: Vec<credit_accounts::Model>,
    pub(crate) credit_entries: Vec<credit_entries::Model>,
    pub(crate) gift_cards: Vec<gift_cards::Model>,
    pub(crate) gift_card_entries: Vec<gift_card_entries::Model>,
    pub(crate) carts: Vec<carts::Model>,
    pub(crate) cart_lines: Vec<cart_lines::Model>,
    pub(crate) shipping_zones: Vec<shipping_zones::Model>,
    pub(crate) shipping_methods: Vec<shipping_methods::Model>,
    pub(crate) tax_rates: Vec<tax_rates::Model>,
    pub(crate) orders: Vec<orders::Model>,
    pub(crate) order_lines: Vec<order_lines::Model>,
    pub(crate) order_promotions: Vec<order_promotions::Model>,
    pub(crate) order_edits: Vec<order_edits::Model>,
    pub(crate) order_notes: Vec<order_notes::Model>,
    pub(crate) payments: Vec<payments::Model>,
    pub(crate) payment_links: Vec<payment_links::Model>,
    pub(crate) disputes: Vec<disputes::Model>,
    pub(crate) attempts: Vec<attempts::Model>,
    pub(crate) refunds: Vec<refunds::Model>,
    pub(crate) fulfillments: Vec<fulfillments::Model>,
    pub(crate) returns: Vec<returns::Model>,
    pub(crate) exchanges: Vec<exchanges::Model>,
    pub(crate) approvals: Vec<approvals::Model>,
    pub(crate) tickets: Vec<tickets::Model>,
    pub(crate) ticket_messages: Vec<ticket_messages::Model>,
    pub(crate) reviews: Vec<reviews::Model>,
    pub(crate) jobs: Vec<jobs::Model>,
    pub(crate) counters: Vec<counters::Model>,
    pub(crate) settings: Vec<settings::Model>,
}

impl Rows {
    /// Writes and forgets everything.
    pub(crate) async fn write(&mut self, numbered: Numbered, tx: &Tx) -> anyhow::Result<()> {
        self.write_shop(tx).await?;
        self.write_orders(tx).await?;
        number::<ledger_entries::Entity>(tx, numbered.ledger_entries, ledger_entries::Column::Id).await?;
        number::<scans::Entity>(tx, numbered.scans, scans::Column::Id).await?;
        number::<events::Entity>(tx, numbered.events, events::Column::Seq).await?;
        let deliveries = numbered.webhook_deliveries;
        number::<webhook_deliveries::Entity>(tx, deliveries, webhook_deliveries::Column::Seq).await?;
        number::<audit_log::Entity>(tx, numbered.audit_log, audit_log::Column::Seq).await
    }

    async fn write_shop(&mut self, tx: &Tx) -> anyhow::Result<()> {
        insert::<brands::Entity>(tx, &mut self.brands).await?;
        insert::<stores::Entity>(tx, &mut self.stores).await?;
        insert::<principals::Entity>(tx, &mut self.principals).await?;
        insert::<staff::Entity>(tx, &mut self.staff).await?;
        insert::<roles::Entity>(tx, &mut self.roles).await?;
        insert::<role_grants::Entity>(tx, &mut self.role_grants).await?;
        insert::<webhook_endpoints::Entity>(tx, &mut self.webhook_endpoints).await?;
        insert::<categories::Entity>(tx, &mut self.categories).await?;
        insert::<products::Entity>(tx, &mut self.products).await?;
        insert::<product_media::Entity>(tx, &mut self.product_media).await?;
        insert::<variants::Entity>(tx, &mut self.variants).await?;
        insert::<locations::Entity>(tx, &mut self.locations).await?;
        insert::<inventory_levels::Entity>(tx, &mut self.inventory_levels).await?;
        insert::<inventory_adjustments::Entity>(tx, &mut self.inventory_adjustments).await?;
        insert::<inventory_transfers::Entity>(tx, &mut self.inventory_transfers).await?;
        insert::<reservations::Entity>(tx, &mut self.reservations).await?;
        insert::<holds::Entity>(tx, &mut self.holds).await?;
        insert::<collections::Entity>(tx, &mut self.collections).await?;
        insert::<price_lists::Entity>(tx, &mut self.price_lists).await?;
        insert::<price_list_entries::Entity>(tx, &mut self.price_list_entries).await?;
        insert::<promotions::Entity>(tx, &mut self.promotions).await?;
        insert::<coupons::Entity>(tx, &mut self.coupons).await?;
        insert::<customers::Entity>(tx, &mut self.customers).await?;
        insert::<tax_exemptions::Entity>(tx, &mut self.tax_exemptions).await?;
        insert::<addresses::Entity>(tx, &mut self.addresses).await?;
        insert::<payment_methods::Entity>(tx, &mut self.payment_methods).await?;
        insert::<credit_accounts::Entity>(tx, &mut self.credit_accounts).await?;
        insert::<credit_entries::Entity>(tx, &mut self.credit_entries).await?;
        insert::<gift_cards::Entity>(tx, &mut self.gift_cards).await?;
        insert::<gift_card_entries::Entity>(tx, &mut self.gift_card_entries).await?;
        insert::<carts::Entity>(tx, &mut self.carts).await?;
        insert::<cart_lines::Entity>(tx, &mut self.cart_lines).await?;
        insert::<shipping_zones::Entity>(tx, &mut self.shipping_zones).await?;
        insert::<shipping_methods::Entity>(tx, &mut self.shipping_methods).await?;
        insert::<tax_rates::Entity>(tx, &mut self.tax_rates).await?;
        insert::<counters::Entity>(tx, &mut self.counters).await?;
        insert::<settings::Entity>(tx, &mut self.settings).await
    }

    async fn write_orders(&mut self, tx: &Tx) -> anyhow::Result<()> {
        insert::<orders::Entity>(tx, &mut self.orders).await?;
        insert::<order_lines::Entity>(tx, &mut self.order_lines).await?;
        insert::<order_promotions::Entity>(tx, &mut self.order_promotions).await?;
        insert::<order_edits::Entity>(tx, &mut self.order_edits).await?;
        insert::<order_notes::Entity>(tx, &mut self.order_notes).await?;
        insert::<payments::Entity>(tx, &mut self.payments).await?;
        insert::<payment_links::Entity>(tx, &mut self.payment_links).await?;
        insert::<disputes::Entity>(tx, &mut self.disputes).await?;
        insert::<attempts::Entity>(tx, &mut self.attempts).await?;
        insert::<refunds::Entity>(tx, &mut self.refunds).await?;
        insert::<fulfillments::Entity>(tx, &mut self.fulfillments).await?;
        insert::<returns::Entity>(tx, &mut self.returns).await?;
        insert::<exchanges::Entity>(tx, &mut self.exchanges).await?;
        insert::<approvals::Entity>(tx, &mut self.approvals).await?;
        insert::<tickets::Entity>(tx, &mut self.tickets).await?;
        insert::<ticket_messages::Entity>(tx, &mut self.ticket_messages).await?;
        insert::<reviews::Entity>(tx, &mut self.reviews).await?;
        insert::<jobs::Entity>(tx, &mut self.jobs).await
    }
}

async fn insert<E>(tx: &Tx, rows: &mut Vec<E::Model>) -> anyhow::Result<()>
where
    E: EntityTrait,
    E::Model: IntoActiveModel<E::ActiveModel>,
    E::ActiveModel: ActiveModelTrait<Entity = E> + Send,
{
    let rows = std::mem::take(rows).into_iter().map(IntoActiveModel::into_active_model).collect();
    insert_active::<E>(tx, rows).await
}

/// Rows that the database numbers itself, in the order they come.
async fn number<E>(tx: &Tx, rows: Vec<E::Model>, key: E::Column) -> anyhow::Result<()>
where
    E: EntityTrait,
    E::Model: IntoActiveModel<E::ActiveModel>,
    E::ActiveModel: ActiveModelTrait<Entity = E> + Send,
{
    let unnumbered = |row: E::Model| {
        let mut row = row.into_active_model();
        row.not_set(key);
        row
    };
    insert_active::<E>(tx, rows.into_iter().map(unnumbered).collect()).await
}

async fn insert_active<E>(tx: &Tx, mut rows: Vec<E::ActiveModel>) -> anyhow::Result<()>
where
    E: EntityTrait,
    E::ActiveModel: ActiveModelTrait<Entity = E> + Send,
{
    let chunk = (PARAMETERS_MAX / E::Column::iter().count().max(1)).clamp(1, ROWS_MAX);
    while !rows.is_empty() {
        let rest = rows.split_off(chunk.min(rows.len()));
        let table = E::default().table_name().to_owned();
        E::insert_many(rows)
            .exec_without_returning(&**tx)
            .await
            .with_context(|| format!("cannot seed the table {table}"))?;
        rows = rest;
    }
    Ok(())
}
