//! The rows of [`TestShop`]. They are written as facts: nothing here is a rule of the shop.

mod people;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, Set};
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{
    BrandId, CouponId, LocationId, PrincipalId, ProductId, PromotionId, ShippingMethodId, ShippingZoneId,
    StoreId, TaxRateId, VariantId,
};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_domain::promotions::PromotionKind;
use shop_domain::status::{ProductStatus, PromotionStatus};
use shop_gateway_sim::Account;
use shop_store::columns::{Countries, DeclaredOptions, Options, Prices, StoreIds};
use shop_store::entities::{
    brands, coupons, inventory_levels, locations, products, promotions, shipping_methods, shipping_zones,
    stores, tax_rates, variants,
};

use super::{Coupons, Goods, ShippingRows, TestShop};
use crate::ctx::{Ctx, Door, OpenTx};
use crate::shop::Shop;

const CURRENCY: Currency = Currency::Eur;

/// Writes rows in one transaction.
struct Rows {
    ctx: Ctx,
    tx: OpenTx,
    brand: BrandId,
    store: StoreId,
    location: LocationId,
}

pub(super) async fn fill(shop: Arc<Shop>, gateway: Arc<Account>) -> TestShop {
    let id = PrincipalId::new(shop.world.ids.next("principal"));
    let admin = Arc::new(Principal::human(id, "root", Role::Admin, Scope::Tenant));
    let ctx = Ctx::new(Arc::clone(&shop), Arc::clone(&admin), Door::System);
    let tx = ctx.begin().await.unwrap();
    let (brand, store, location) = (ctx.id(BrandId::new), ctx.id(StoreId::new), ctx.id(LocationId::new));
    let rows = Rows { ctx, tx, brand, store, location };
    rows.organisation().await;
    rows.principal(&admin).await;
    let goods = rows.goods().await;
    let shipping = rows.shipping().await;
    let coupons = rows.coupons().await;
    let ada = rows.person("Ada", "Byron", "GIFT-ADA1-2345-6789").await;
    let bob = rows.person("Bob", "Marlowe", "GIFT-BOB1-2345-6789").await;
    let agent = rows.staff("sam", Role::SupportAgent).await;
    let lead = rows.staff("lea", Role::SupportLead).await;
    rows.tx.commit().await.unwrap();
    let keys = AtomicU64::new(0);
    TestShop {
        shop,
        gateway,
        brand,
        store,
        location,
        goods,
        shipping,
        coupons,
        ada,
        bob,
        agent,
        lead,
        admin,
        keys,
    }
}

impl Rows {
    async fn organisation(&self) {
        let at = self.ctx.now();
        let brand =
            brands::ActiveModel { id: Set(self.brand), name: Set("Harbour".into()), created_at: Set(at) };
        brand.insert(&*self.tx).await.unwrap();
        let store = stores::ActiveModel {
            id: Set(self.store),
            brand_id: Set(self.brand),
            name: Set("Harbour Hamburg".into()),
            currency: Set(CURRENCY),
            country: Set("DE".into()),
            policy: Set(Policy::default()),
            created_at: Set(at),
            version: Set(1),
        };
        store.insert(&*self.tx).await.unwrap();
        let location = locations::ActiveModel {
            id: Set(self.location),
            store_id: Set(self.store),
            name: Set("Warehouse".into()),
            country: Set("DE".into()),
        };
        location.insert(&*self.tx).await.unwrap();
        for category in ["standard", "shipping"] {
            let rate = tax_rates::ActiveModel {
                id: Set(self.ctx.id(TaxRateId::new)),
                store_id: Set(self.store),
                country: Set("DE".into()),
                region: Set(None),
                category: Set(category.into()),
                rate_bps: Set(1_900),
                starts_at: Set(at - TimeDelta::days(365)),
            };
            rate.insert(&*self.tx).await.unwrap();
        }
    }

    async fn goods(&self) -> Goods {
        let mug = self.product("Harbour mug", "kitchen").await;
        let shirt = self.product("Harbour shirt", "clothing").await;
        let lamp = self.product("Desk lamp", "home").await;
        Goods {
            mug,
            shirt,
            lamp,
            blue_mug: self
                .variant(mug, 0, ("MUG-BLUE", "Blue mug"), ("colour", "blue"), (1_990, 400, 10))
                .await,
            red_mug: self.variant(mug, 1, ("MUG-RED", "Red mug"), ("colour", "red"), (1_990, 400, 10)).await,
            small_shirt: self
                .variant(shirt, 0, ("SHIRT-S", "Shirt, small"), ("size", "S"), (2_500, 200, 10))
                .await,
            large_shirt: self
                .variant(shirt, 1, ("SHIRT-L", "Shirt, large"), ("size", "L"), (2_700, 200, 10))
                .await,
            desk_lamp: self
                .variant(lamp, 0, ("LAMP", "Desk lamp"), ("colour", "black"), (8_900, 1_500, 5))
                .await,
        }
    }

    async fn product(&self, title: &str, category: &str) -> ProductId {
        let row = products::ActiveModel {
            id: Set(self.ctx.id(ProductId::new)),
            external_id: Set(None),
            brand_id: Set(self.brand),
            title: Set(title.into()),
            description: Set(format!("{title} of the harbour.")),
            category: Set(category.into()),
            options: Set(DeclaredOptions::default()),
            status: Set(ProductStatus::Published),
            store_ids: Set(StoreIds(vec![self.store])),
            return_policy: Set("30 days".into()),
            created_at: Set(self.ctx.now()),
            updated_at: Set(self.ctx.now()),
            version: Set(1),
        };
        row.insert(&*self.tx).await.unwrap().id
    }

    async fn variant(
        &self,
        product: ProductId,
        position: i64,
        (sku, title): (&str, &str),
        (option, value): (&str, &str),
        (price, weight_g, on_hand): (i64, i64, i64),
    ) -> VariantId {
        let row = variants::ActiveModel {
            id: Set(self.ctx.id(VariantId::new)),
            external_id: Set(None),
            product_id: Set(product),
            position: Set(position),
            sku: Set(sku.into()),
            barcode: Set(None),
            title: Set(title.into()),
            options: Set(Options(BTreeMap::from([(option.into(), value.into())]))),
            price_minor: Set(price),
            compare_at_minor: Set(None),
            currency: Set(CURRENCY),
            other_prices: Set(Prices::default()),
            weight_g: Set(weight_g),
            tax_category: Set("standard".into()),
            is_sellable: Set(true),
            is_tracked: Set(true),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        let id = row.insert(&*self.tx).await.unwrap().id;
        let level = inventory_levels::ActiveModel {
            variant_id: Set(id),
            location_id: Set(self.location),
            on_hand: Set(on_hand),
            reserved: Set(0),
            version: Set(1),
        };
        level.insert(&*self.tx).await.unwrap();
        id
    }

    async fn shipping(&self) -> ShippingRows {
        let zone = shipping_zones::ActiveModel {
            id: Set(self.ctx.id(ShippingZoneId::new)),
            store_id: Set(self.store),
            name: Set("Germany and Austria".into()),
            countries: Set(Countries(vec!["DE".into(), "AT".into()])),
        };
        let zone = zone.insert(&*self.tx).await.unwrap().id;
        ShippingRows {
            zone,
            standard: self.method(zone, ("Standard", 0), (490, Some(10_000), 100), (2, 4)).await,
            express: self.method(zone, ("Express", 1), (1_290, None, 0), (1, 1)).await,
        }
    }

    async fn method(
        &self,
        zone: ShippingZoneId,
        (name, position): (&str, i64),
        (price, free_over, per_kg): (i64, Option<i64>, i64),
        (days_min, days_max): (i64, i64),
    ) -> ShippingMethodId {
        let row = shipping_methods::ActiveModel {
            id: Set(self.ctx.id(ShippingMethodId::new)),
            zone_id: Set(zone),
            store_id: Set(self.store),
            name: Set(name.into()),
            carrier: Set("Harbour Post".into()),
            price_minor: Set(price),
            free_over_minor: Set(free_over),
            per_kg_minor: Set(per_kg),
            max_weight_g: Set(30_000),
            days_min: Set(days_min),
            days_max: Set(days_max),
            position: Set(position),
            is_active: Set(true),
        };
        row.insert(&*self.tx).await.unwrap().id
    }

    async fn coupons(&self) -> Coupons {
        let tenth = self.promotion("A tenth off", PromotionKind::Percentage, 1_000).await;
        let free = self.promotion("Free shipping", PromotionKind::FreeShipping, 0).await;
        Coupons {
            save10: self.coupon(tenth, "SAVE10", None, None).await,
            once10: self.coupon(tenth, "ONCE10", Some(1), None).await,
            shipfree: self.coupon(free, "SHIPFREE", None, None).await,
            old10: self.coupon(tenth, "OLD10", None, Some(-1)).await,
        }
    }

    async fn promotion(&self, name: &str, kind: PromotionKind, value: i64) -> PromotionId {
        let row = promotions::ActiveModel {
            id: Set(self.ctx.id(PromotionId::new)),
            store_id: Set(Some(self.store)),
            name: Set(name.into()),
            kind: Set(kind),
            value: Set(value),
            min_subtotal_minor: Set(0),
            buy_quantity: Set(0),
            get_quantity: Set(0),
            is_automatic: Set(false),
            collection_id: Set(None),
            usage_limit: Set(None),
            used: Set(0),
            budget_minor: Set(None),
            spent_minor: Set(0),
            status: Set(PromotionStatus::Active),
            starts_at: Set(None),
            ends_at: Set(None),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        row.insert(&*self.tx).await.unwrap().id
    }

    async fn coupon(
        &self,
        promotion: PromotionId,
        code: &str,
        usage_limit: Option<i64>,
        expires_in_days: Option<i64>,
    ) -> CouponId {
        let row = coupons::ActiveModel {
            id: Set(self.ctx.id(CouponId::new)),
            promotion_id: Set(promotion),
            code: Set(code.into()),
            customer_id: Set(None),
            usage_limit: Set(usage_limit),
            used: Set(0),
            expires_at: Set(expires_in_days.map(|days| self.ctx.now() + TimeDelta::days(days))),
            created_at: Set(self.ctx.now()),
        };
        row.insert(&*self.tx).await.unwrap().id
    }
}
