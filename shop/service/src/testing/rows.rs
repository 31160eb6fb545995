//! The rows of [`TestShop`]. They are written as facts: nothing here is a rule of the shop.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, Set};
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{
    AddressId, BrandId, CouponId, CustomerId, GiftCardId, LocationId, PaymentMethodId, PrincipalId,
    ProductId, PromotionId, ShippingMethodId, ShippingZoneId, StoreId, TaxRateId, VariantId,
};
use shop_domain::ledger::{gift_card_issued, store_credit_issued};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_domain::status::{CustomerStatus, GiftCardStatus, InstrumentKind, ProductStatus, PromotionStatus};
use shop_gateway_sim::Account;
use shop_store::columns::{Countries, Options, Tags};
use shop_store::entities::{
    addresses, brands, coupons, customers, gift_cards, inventory_levels, locations, payment_methods,
    principals, products, promotions, shipping_methods, shipping_zones, stores, tax_rates, variants,
};

use super::{Coupons, Goods, Person, ShippingRows, TestShop, hamburg};
use crate::ctx::{Ctx, Door, OpenTx};
use crate::shop::Shop;
use crate::{ledger, tenders};

const CURRENCY: Currency = Currency::Eur;
const GIFT_CARD_MINOR: i64 = 5_000;
const STORE_CREDIT_MINOR: i64 = 3_000;

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
            status: Set(ProductStatus::Published),
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
            title: Set(title.into()),
            options: Set(Options(BTreeMap::from([(option.into(), value.into())]))),
            price_minor: Set(price),
            compare_at_minor: Set(None),
            currency: Set(CURRENCY),
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
        let tenth = self.promotion("A tenth off", "percentage", 1_000).await;
        let free = self.promotion("Free shipping", "free_shipping", 0).await;
        Coupons {
            save10: self.coupon(tenth, "SAVE10", None, None).await,
            once10: self.coupon(tenth, "ONCE10", Some(1), None).await,
            shipfree: self.coupon(free, "SHIPFREE", None, None).await,
            old10: self.coupon(tenth, "OLD10", None, Some(-1)).await,
        }
    }

    async fn promotion(&self, name: &str, kind: &str, value: i64) -> PromotionId {
        let row = promotions::ActiveModel {
            id: Set(self.ctx.id(PromotionId::new)),
            store_id: Set(Some(self.store)),
            name: Set(name.into()),
            kind: Set(kind.into()),
            value: Set(value),
            min_subtotal_minor: Set(0),
            buy_quantity: Set(0),
            get_quantity: Set(0),
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

    async fn person(&self, first: &str, last: &str, gift_card_code: &'static str) -> Person {
        let at = self.ctx.now();
        let customer = customers::ActiveModel {
            id: Set(self.ctx.id(CustomerId::new)),
            external_id: Set(None),
            brand_id: Set(self.brand),
            store_id: Set(self.store),
            email: Set(format!("{}@example.com", first.to_lowercase())),
            first_name: Set(first.into()),
            last_name: Set(last.into()),
            phone: Set(None),
            status: Set(CustomerStatus::Active),
            tags: Set(Tags::default()),
            accepts_marketing: Set(false),
            created_at: Set(at),
            updated_at: Set(at),
            version: Set(1),
        };
        let customer = customer.insert(&*self.tx).await.unwrap().id;
        let address = addresses::ActiveModel {
            id: Set(self.ctx.id(AddressId::new)),
            customer_id: Set(customer),
            label: Set("Home".into()),
            address: Set(hamburg(&format!("{first} {last}"))),
            is_default: Set(true),
            created_at: Set(at),
            updated_at: Set(at),
            version: Set(1),
        };
        let address = address.insert(&*self.tx).await.unwrap().id;
        let gift_card = self.gift_card(customer, gift_card_code).await;
        self.store_credit(customer).await;
        let principal = Principal::human(
            self.ctx.id(PrincipalId::new),
            first.to_lowercase(),
            Role::Shopper,
            Scope::Customer(customer),
        );
        self.principal(&principal).await;
        Person {
            principal: Arc::new(principal),
            customer,
            address,
            card: self.method_of(customer, InstrumentKind::Card, Some("tok_visa"), None).await,
            paypal: self.method_of(customer, InstrumentKind::Paypal, Some("tok_paypal"), None).await,
            gift_card_method: self.method_of(customer, InstrumentKind::GiftCard, None, Some(gift_card)).await,
            gift_card,
            gift_card_code,
        }
    }

    async fn gift_card(&self, customer: CustomerId, code: &str) -> GiftCardId {
        let row = gift_cards::ActiveModel {
            id: Set(self.ctx.id(GiftCardId::new)),
            external_id: Set(None),
            code: Set(code.into()),
            last4: Set(code[code.len() - 4..].into()),
            customer_id: Set(Some(customer)),
            store_id: Set(self.store),
            currency: Set(CURRENCY),
            initial_minor: Set(GIFT_CARD_MINOR),
            balance_minor: Set(0),
            held_minor: Set(0),
            status: Set(GiftCardStatus::Active),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        let id = row.insert(&*self.tx).await.unwrap().id;
        tenders::give_gift_card(&*self.tx, &self.ctx, id, GIFT_CARD_MINOR, "issued", None).await.unwrap();
        let issued = gift_card_issued(GIFT_CARD_MINOR).unwrap();
        ledger::post(&*self.tx, &self.ctx, &issued, ledger::Refs::currency(CURRENCY), "issued")
            .await
            .unwrap();
        id
    }

    async fn store_credit(&self, customer: CustomerId) {
        let to = (customer, CURRENCY);
        tenders::give_credit(&*self.tx, &self.ctx, to, STORE_CREDIT_MINOR, "issued", None).await.unwrap();
        let issued = store_credit_issued(STORE_CREDIT_MINOR).unwrap();
        ledger::post(&*self.tx, &self.ctx, &issued, ledger::Refs::currency(CURRENCY), "issued")
            .await
            .unwrap();
    }

    async fn method_of(
        &self,
        customer: CustomerId,
        kind: InstrumentKind,
        token: Option<&str>,
        gift_card: Option<GiftCardId>,
    ) -> PaymentMethodId {
        let is_card = kind == InstrumentKind::Card;
        let row = payment_methods::ActiveModel {
            id: Set(self.ctx.id(PaymentMethodId::new)),
            external_id: Set(None),
            customer_id: Set(customer),
            kind: Set(kind),
            token: Set(token.map(str::to_owned)),
            gift_card_id: Set(gift_card),
            brand: Set(is_card.then(|| "visa".into())),
            last4: Set(is_card.then(|| "4242".into())),
            label: Set(kind.to_string()),
            is_default: Set(is_card),
            detached_at: Set(None),
            created_at: Set(self.ctx.now()),
            version: Set(1),
        };
        row.insert(&*self.tx).await.unwrap().id
    }

    async fn staff(&self, name: &str, role: Role) -> Arc<Principal> {
        let principal = Principal::human(self.ctx.id(PrincipalId::new), name, role, Scope::Store(self.store));
        self.principal(&principal).await;
        Arc::new(principal)
    }

    async fn principal(&self, principal: &Principal) {
        let (store_id, customer_id) = match principal.scope {
            Scope::Tenant | Scope::Brand(_) => (None, None),
            Scope::Store(store) => (Some(store), None),
            Scope::Customer(customer) => (None, Some(customer)),
        };
        let row = principals::ActiveModel {
            id: Set(principal.id),
            name: Set(principal.name.clone()),
            role: Set(principal.role),
            token: Set(format!("token-{}", principal.name)),
            is_agent: Set(false),
            on_behalf_of: Set(None),
            brand_id: Set(None),
            store_id: Set(store_id),
            customer_id: Set(customer_id),
            created_at: Set(self.ctx.now()),
        };
        row.insert(&*self.tx).await.unwrap();
    }
}
