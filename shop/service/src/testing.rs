//! A whole small shop for tests: a frozen world, rows in memory, and the real gateway simulator on a free port.
//!
//! ```text
//! let t = TestShop::open().await;
//! let order = t.paid(&[(t.goods.blue_mug, 2)]).await;              // Ada's, captured on her card
//! let ctx = t.at(&t.lead, order.version);                           // a fresh key, and that version
//! let same = t.ctx(&t.ada.principal).with_call(call("k1", None));   // a key of your own
//! ```

#![expect(clippy::unwrap_used, reason = "a test shop that cannot be built ends its test")]

mod agents;
mod branch;
mod changes;
mod faults;
mod parcels;
mod places;
mod rows;

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use shop_domain::address::Address;
use shop_domain::after_sales::RulesMode;
use shop_domain::governance::Principal;
use shop_domain::ids::{
    AddressId, BrandId, CouponId, CustomerId, GiftCardId, LocationId, PaymentMethodId, ProductId,
    ShippingMethodId, ShippingZoneId, StoreId, VariantId,
};
use shop_gateway::Client;
use shop_gateway_sim::{Account, LedgerFile, OpenAccounts, Running, Simulator, Tempo};
use shop_store::{Db, Place};
use shop_world::World;

pub use faults::strikes;

use crate::ctx::{Call, CallerKey, Ctx, Door};
use crate::shop::{Profile, Settings, Shop};
use crate::{orders, payments};

pub use branch::Branch;
pub use places::reno;

/// Long enough for any answer of the simulator, short enough for a test that waits for one that never comes.
const GATEWAY_TIMEOUT_MS: u64 = 500;

/// What the test gateway signs with.
pub const WEBHOOK_SECRET: &str = "whsec_test";

/// The shop, and the names of everything in it.
pub struct TestShop {
    pub shop: Arc<Shop>,
    /// The gateway's own books: what really happened to money.
    pub gateway: Arc<Account>,
    pub brand: BrandId,
    /// Sells in EUR and has its seat in DE, as does everything below.
    pub store: StoreId,
    pub location: LocationId,
    pub goods: Goods,
    pub shipping: ShippingRows,
    pub coupons: Coupons,
    /// Two customers with the same kinds of things.
    pub ada: Person,
    pub bob: Person,
    pub agent: Arc<Principal>,
    pub lead: Arc<Principal>,
    pub admin: Arc<Principal>,
    keys: AtomicU64,
}

/// Three products and their five variants; ten units of each, five lamps. All taxed as `standard`.
pub struct Goods {
    pub mug: ProductId,
    pub shirt: ProductId,
    pub lamp: ProductId,
    /// 19.90 EUR, 400 g.
    pub blue_mug: VariantId,
    /// 19.90 EUR, 400 g.
    pub red_mug: VariantId,
    /// 25.00 EUR, 200 g.
    pub small_shirt: VariantId,
    /// 27.00 EUR, 200 g.
    pub large_shirt: VariantId,
    /// 89.00 EUR, 1,500 g.
    pub desk_lamp: VariantId,
}

/// One zone (DE and AT) with two methods.
pub struct ShippingRows {
    pub zone: ShippingZoneId,
    /// 4.90 EUR and 1.00 EUR a further kilogram; free from 100 EUR.
    pub standard: ShippingMethodId,
    /// 12.90 EUR.
    pub express: ShippingMethodId,
}

pub struct Coupons {
    /// `SAVE10`: 10 % off, for everybody, any number of times.
    pub save10: CouponId,
    /// `ONCE10`: 10 % off, once.
    pub once10: CouponId,
    /// `SHIPFREE`: free shipping.
    pub shipfree: CouponId,
    /// `OLD10`: has expired.
    pub old10: CouponId,
}

/// A customer, signed in, with 30 EUR of store credit.
pub struct Person {
    pub principal: Arc<Principal>,
    pub customer: CustomerId,
    /// The default one, in Hamburg.
    pub address: AddressId,
    /// Always approved.
    pub card: PaymentMethodId,
    pub paypal: PaymentMethodId,
    pub gift_card_method: PaymentMethodId,
    /// 50 EUR on it; its code is in [`Person::gift_card_code`].
    pub gift_card: GiftCardId,
    pub gift_card_code: &'static str,
}

impl TestShop {
    /// A new shop, the same in every test.
    pub async fn open() -> Self {
        Self::with(RulesMode::Server).await
    }

    pub async fn with(rules: RulesMode) -> Self {
        let world = World::for_tests();
        let gateway = Account::open(Arc::clone(&world), LedgerFile::memory()).unwrap();
        let base = serve(Arc::clone(&gateway));
        let settings = shop_gateway::Settings {
            request_timeout_ms: GATEWAY_TIMEOUT_MS,
            ..shop_gateway::Settings::new(&base)
        };
        let client = Client::new(&settings, &world.name).unwrap();
        let db = Db::open(&Place::Memory).await.unwrap();
        let settings = Settings {
            rules,
            idempotency: Profile::Acp,
            door_secret: "a secret of the doors".into(),
            webhook_secret: WEBHOOK_SECRET.into(),
            console_url: "http://127.0.0.1:8083".into(),
        };
        let shop = Shop::new(world, db, client, settings);
        rows::fill(shop, gateway).await
    }

    /// A call without key or version, as reads and plain writes have it.
    pub fn ctx(&self, principal: &Arc<Principal>) -> Ctx {
        Ctx::new(Arc::clone(&self.shop), Arc::clone(principal), Door::Rest)
    }

    /// A new call that believes in a version, under a key that no other call has.
    pub fn at(&self, principal: &Arc<Principal>, version: i64) -> Ctx {
        let key = self.keys.fetch_add(1, Ordering::SeqCst);
        self.ctx(principal).with_call(call(&format!("key-{key}"), Some(version)))
    }

    /// An order of Ada's that nobody has paid, to her address, by the standard method.
    pub async fn placed(&self, lines: &[(VariantId, i64)]) -> orders::View {
        let ctx = self.ctx(&self.ada.principal);
        let tx = ctx.begin().await.unwrap();
        let basket = orders::Basket {
            store_id: self.store,
            customer_id: Some(self.ada.customer),
            lines: lines.to_vec(),
            address: hamburg("Ada Byron"),
            shipping_method_id: self.shipping.standard,
            coupon_id: None,
            cart_id: None,
            contact_email: "ada@example.com".into(),
            holder: None,
            agreed_total_minor: None,
        };
        let order = orders::place(&*tx, &ctx, basket).await.unwrap();
        tx.commit().await.unwrap();
        orders::view(ctx.read().unwrap(), order.id).await.unwrap()
    }

    /// An order of Ada's, captured on her card.
    pub async fn paid(&self, lines: &[(VariantId, i64)]) -> orders::View {
        let order = self.placed(lines).await;
        let payment = self.pay(&order, self.ada.card).await;
        assert_eq!(payment.captured_minor, order.total_minor);
        orders::view(self.ctx(&self.admin).read().unwrap(), order.id).await.unwrap()
    }

    /// Takes everything that is due on an order from one of Ada's payment methods.
    pub async fn pay(&self, order: &orders::View, method: PaymentMethodId) -> payments::View {
        let ada = &self.ada.principal;
        let input = payments::Create { payment_method_id: Some(method), ..payments::Create::default() };
        let opened = payments::create(&self.ctx(ada), order.id, input).await.unwrap().view;
        let ctx = self.at(ada, opened.version);
        let held = payments::authorize(&ctx, opened.id, payments::Authorize::default()).await.unwrap().view;
        let ctx = self.at(ada, held.version);
        payments::capture(&ctx, held.id, payments::Capture::default()).await.unwrap().view
    }
}

/// A caller's key, for content that is always the same; and the version the caller believes in.
pub fn call(key: &str, if_match: Option<i64>) -> Call {
    Call { key: Some(caller_key(key, "the same content")), if_match, ..Call::default() }
}

/// The key of a call with content of its own.
pub fn caller_key(key: &str, content: &str) -> CallerKey {
    CallerKey { key: key.to_owned(), request_hash: content.to_owned(), is_system: false }
}

/// An address that both methods reach.
pub fn hamburg(name: &str) -> Address {
    Address {
        name: name.to_owned(),
        line1: "12 Harbour Road".into(),
        line2: String::new(),
        city: "Hamburg".into(),
        region: String::new(),
        postal_code: "20095".into(),
        country: "DE".into(),
    }
}

/// An address that no method reaches.
pub fn oslo(name: &str) -> Address {
    Address { city: "Oslo".into(), postal_code: "0150".into(), country: "NO".into(), ..hamburg(name) }
}

/// The real simulator with one account, until the test ends.
fn serve(account: Arc<Account>) -> String {
    let accounts = OpenAccounts::default();
    accounts.insert(account);
    let simulator = Simulator::new(Arc::new(accounts), Tempo::default());
    let running = simulator.server(TcpListener::bind("127.0.0.1:0").unwrap(), 1).unwrap();
    let Running { address, server, .. } = running;
    tokio::spawn(server);
    format!("http://{address}")
}

#[cfg(test)]
mod tests {
    use shop_domain::status::{OrderPaymentStatus, OrderStatus};

    use super::*;

    #[tokio::test]
    async fn a_paid_order_is_paid_in_the_gateways_books_too() {
        let t = TestShop::open().await;
        let order = t.paid(&[(t.goods.blue_mug, 2), (t.goods.small_shirt, 1)]).await;
        assert_eq!((order.status, order.payment_status), (OrderStatus::Confirmed, OrderPaymentStatus::Paid));
        // 2 × 19.90 + 25.00 + shipping 4.90, and 19 % on each line.
        assert_eq!(order.total_minor, (3_980 + 756) + (2_500 + 475) + (490 + 93));
        let truth = t.gateway.truth().unwrap();
        assert_eq!(truth.charges.len(), 1);
        assert_eq!(truth.charges[0].captured_minor, order.total_minor);
    }
}
