//! Further places, and orders that came from another shop.

use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::address::Address;
use shop_domain::ids::{OrderId, ShippingMethodId, ShippingZoneId, VariantId};
use shop_domain::ledger::{Sale, order_edited};
use shop_store::columns::Countries;
use shop_store::entities::{order_lines, orders as order_rows, shipping_methods, shipping_zones};

use super::{TestShop, hamburg};
use crate::{ledger, orders};

impl TestShop {
    /// A zone of one more country, and the only method that goes there.
    pub async fn zone(&self, country: &str, name: &str, price_minor: i64) -> ShippingMethodId {
        let ctx = self.ctx(&self.admin);
        let tx = ctx.begin().await.unwrap();
        let zone = shipping_zones::ActiveModel {
            id: Set(ctx.id(ShippingZoneId::new)),
            store_id: Set(self.store),
            name: Set(country.into()),
            countries: Set(Countries(vec![country.into()])),
        };
        let zone = zone.insert(&*tx).await.unwrap().id;
        let method = shipping_methods::ActiveModel {
            id: Set(ctx.id(ShippingMethodId::new)),
            zone_id: Set(zone),
            store_id: Set(self.store),
            name: Set(name.into()),
            carrier: Set("Harbour Post".into()),
            price_minor: Set(price_minor),
            free_over_minor: Set(None),
            per_kg_minor: Set(0),
            max_weight_g: Set(30_000),
            days_min: Set(3),
            days_max: Set(6),
            position: Set(0),
            is_active: Set(true),
        };
        let method = method.insert(&*tx).await.unwrap().id;
        tx.commit().await.unwrap();
        method
    }

    /// An order of Ada's as an import leaves it: under a name of its own, without shipping and tax, paid by card.
    pub async fn imported(&self, name: &str, lines: &[(VariantId, i64)]) -> orders::View {
        let order = self.placed(lines).await;
        self.strip(order.id, name).await;
        let order = self.order(order.id).await;
        self.pay(&order, self.ada.card).await;
        self.order(order.id).await
    }

    async fn strip(&self, id: OrderId, name: &str) {
        let ctx = self.ctx(&self.admin);
        let tx = ctx.begin().await.unwrap();
        let order = order_rows::Entity::find_by_id(id).one(&*tx).await.unwrap().unwrap();
        let before = Sale {
            goods_minor: order.subtotal_minor,
            shipping_minor: order.shipping_minor,
            discount_minor: order.discount_minor,
            tax_minor: order.tax_minor,
            total_minor: order.total_minor,
        };
        let goods = order.subtotal_minor;
        let after = Sale { shipping_minor: 0, tax_minor: 0, total_minor: goods, ..before };
        let edited = order_edited(&before, &after).unwrap();
        ledger::post(&*tx, &ctx, &edited, ledger::Refs::order(&order), "imported").await.unwrap();
        for line in orders::lines_of(&*tx, id).await.unwrap() {
            let net = line.unit_price_minor * line.quantity;
            let mut line: order_lines::ActiveModel = line.into_active_model();
            line.tax_minor = Set(0);
            line.total_minor = Set(net);
            line.update(&*tx).await.unwrap();
        }
        let mut order = order.into_active_model();
        order.external_id = Set(Some(name.into()));
        order.shipping_method_id = Set(None);
        order.shipping_minor = Set(0);
        order.shipping_tax_minor = Set(0);
        order.tax_minor = Set(0);
        order.total_minor = Set(goods);
        order.shipping_address = Set(reno());
        order.update(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }
}

/// An address in a country where the store knows neither tax nor zone.
pub fn reno() -> Address {
    Address {
        line1: "1 Kite Way".into(),
        city: "Reno".into(),
        region: "NV".into(),
        postal_code: "89501".into(),
        country: "US".into(),
        ..hamburg("Ada Byron")
    }
}
