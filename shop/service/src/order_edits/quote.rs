use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::exchanges::PricedUnits;
use shop_domain::totals::Totals;
use shop_store::columns::EditLine;
use shop_store::entities::{order_edits, order_lines, orders, shipping_methods, variants};

use crate::error::{Error, Result};
use crate::{orders as order_service, pricing};

/// What an order would come to with its staged lines.
pub(super) struct Quote {
    /// Per line, in the order of the staged lines.
    pub(super) totals: Totals,
    pub(super) variants: Vec<variants::Model>,
}

impl Quote {
    pub(super) fn variant(&self, line: &EditLine) -> Result<&variants::Model> {
        let variant = self.variants.iter().find(|variant| variant.id == line.variant_id);
        variant.ok_or_else(|| Error::internal("an order edit with a variant that has vanished"))
    }
}

/// Quotes an edit. A closed one keeps the quote it was closed with.
pub(super) async fn quote(
    conn: &impl ConnectionTrait,
    order: &orders::Model,
    edit: &order_edits::Model,
) -> Result<Quote> {
    let ids = edit.lines.0.iter().map(|line| line.variant_id);
    let variants = variants::Entity::find().filter(variants::Column::Id.is_in(ids)).all(conn).await?;
    if let Some(totals) = &edit.totals {
        return Ok(Quote { totals: totals.clone(), variants });
    }
    let mut staged = Vec::with_capacity(edit.lines.0.len());
    for line in &edit.lines.0 {
        let variant = variants.iter().find(|variant| variant.id == line.variant_id);
        let variant = variant.ok_or_else(|| Error::internal("a variant has vanished"))?;
        staged.push(order_lines::Model {
            unit_price_minor: line.unit_price_minor,
            discount_minor: discount(line, &edit.lines.0)?,
            ..order_service::new_line(line.line_id, order.id, variant, line.quantity)
        });
    }
    let method = match order.shipping_method_id {
        Some(id) => shipping_methods::Entity::find_by_id(id).one(conn).await?,
        None => None,
    };
    let change = pricing::Change { address: &order.shipping_address, method: method.as_ref(), extra: None };
    let totals = pricing::reprice(conn, order, &staged, change).await?;
    Ok(Quote { totals, variants })
}

/// What is taken off a staged line: its units' share of what was agreed, or that of the units it takes the place of.
fn discount(line: &EditLine, lines: &[EditLine]) -> Result<i64> {
    let agreed = match line.replaces_line_id {
        Some(replaced) => lines.iter().find(|old| old.line_id == replaced),
        None => Some(line),
    };
    let Some(agreed) = agreed.filter(|agreed| agreed.before > 0) else { return Ok(0) };
    let units = PricedUnits {
        quantity: agreed.before,
        unit_price_minor: agreed.unit_price_minor,
        discount_minor: agreed.discount_minor,
        tax_minor: 0,
    };
    Ok(units.part(line.quantity)?.at_price(line.unit_price_minor)?.discount_minor)
}
