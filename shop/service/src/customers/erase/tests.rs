use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use serde_json::json;
use shop_domain::address::Address;
use shop_domain::ids::{ActionId, ConsentId};
use shop_domain::reasons::{RefundReason, ReturnReason};
use shop_domain::reviews::ReviewDecision;
use shop_domain::status::CustomerStatus;
use shop_store::Db;
use shop_store::entities::{action_journal, actions, consents, ledger_entries, principals};

use super::*;
use crate::customers::{Update, update};
use crate::testing::{TestShop, call, hamburg};
use crate::{
    LineUnits, addresses, approvals, carts, credit, fulfillments, payment_methods, refunds, returns, reviews,
    taxes, tickets, webhooks,
};
use crate::{orders as order_service, principals as sign_in};

/// What only Ada is called, lives at and is reached by.
const HERS: &[&str] =
    &["Ada", "Byron", "ada@example.com", "ada@private.example", "+49 40 5550123", "Lark Row", "22767"];

fn lark_row() -> Address {
    Address { line1: "7 Lark Row".into(), postal_code: "22767".into(), ..hamburg("Ada Byron") }
}

/// Every row of every table that has one of her words in it, as `table: row`.
async fn told(db: &Db) -> Vec<String> {
    let mut told = Vec::new();
    for (table, rows) in db.rows().await.unwrap() {
        let naming = rows.into_values().filter(|row| HERS.iter().any(|word| row.contains(word)));
        told.extend(naming.map(|row| format!("{table}: {row}")));
    }
    told
}

/// An action of Ada's whose body, journal and consent tell where she lives.
async fn action(t: &TestShop, order: &order_service::View) -> ActionId {
    let (world, now) = (&t.shop.world, t.shop.world.clock.now());
    let id = ActionId::new(world.ids.next("act"));
    let tx = t.shop.db.begin().await.unwrap();
    let row = actions::ActiveModel {
        id: Set(id),
        capability: Set("return_and_refund".into()),
        principal_id: Set(t.lead.id),
        store_id: Set(Some(t.store)),
        customer_id: Set(None),
        entity: Set(Some(format!("order/{}", order.id))),
        node: Set("DONE".into()),
        status: Set("completed".into()),
        version: Set(3),
        body: Set(json!({ "patch": { "address": lark_row() } })),
        due_at: Set(None),
        lease_until_ms: Set(0),
        lease_owner: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
    };
    row.insert(&*tx).await.unwrap();
    let entry = json!({ "step": "ask", "note": "Ada Byron agreed" });
    let line =
        action_journal::ActiveModel { action_id: Set(id), seq: Set(1), entry: Set(entry), at: Set(now) };
    line.insert(&*tx).await.unwrap();
    let consent = consents::ActiveModel {
        id: Set(ConsentId::new(world.ids.next("con"))),
        action_id: Set(id),
        digest: Set("d".into()),
        status: Set("spent".into()),
        summary: Set(json!({ "address": lark_row() })),
        nonce: Set("8f14e45f".into()),
        decided_by: Set(None),
        decided_at: Set(None),
        expires_at: Set(now),
        created_at: Set(now),
    };
    consent.insert(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// A life of Ada's with the shop in which everybody writes down who she is, wherever that can be written.
async fn lives(t: &TestShop) -> order_service::View {
    let ada = || t.ctx(&t.ada.principal);
    let profile = Update { phone: Some("+49 40 5550123".into()), ..Update::default() };
    update(&ada(), t.ada.customer, profile).await.unwrap();
    let home = addresses::Create { label: "Ada's".into(), address: lark_row(), is_default: true };
    addresses::create(&t.at(&t.ada.principal, 0), t.ada.customer, home).await.unwrap();
    let attach = payment_methods::Attach {
        token: "tok_amex".into(),
        label: Some("Ada Byron's own".into()),
        is_default: None,
    };
    payment_methods::attach(&ada(), t.ada.customer, attach).await.unwrap();
    let cart = carts::create(&ada(), carts::Create::default()).await.unwrap().view;
    let to = carts::SetAddress { address_id: None, address: Some(lark_row()) };
    carts::set_shipping_address(&ada(), cart.id, to).await.unwrap();

    let order = t.paid(&[(t.goods.blue_mug, 2)]).await;
    let to =
        order_service::ChangeAddress { address: lark_row(), shipping_method_id: None, approval_id: None };
    order_service::change_address(&t.at(&t.ada.principal, order.version), order.id, to).await.unwrap();
    let contact = order_service::UpdateContact {
        email: Some("ada@private.example".into()),
        phone: Some("+49 40 5550123".into()),
    };
    order_service::update_contact(&ada(), order.id, contact).await.unwrap();
    let note = order_service::AddNote { text: "Ada called from Lark Row".into() };
    order_service::add_note(&t.ctx(&t.lead), order.id, note).await.unwrap();
    let ctx = t.at(&t.lead, t.order(order.id).await.version);
    let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
    let ctx = t.at(&t.lead, parcel.version);
    let parcel = fulfillments::ship(&ctx, parcel.id, Default::default()).await.unwrap().view;
    let wrong = Update { email: Some("ada@example.com".into()), ..Update::default() };
    let ctx = t.ctx(&t.bob.principal);
    let inner = ctx.clone();
    let bob = t.bob.customer;
    let taken =
        ctx.detached(operation("update_customer"), async move { update(&inner, bob, wrong).await }).await;
    assert!(taken.is_err());
    let still = anonymize(&t.at(&t.admin, version(t).await), t.ada.customer).await.unwrap_err();
    assert_eq!(still.rule.as_deref(), Some("customer_has_open_business"));
    fulfillments::deliver(&t.at(&t.lead, parcel.version), parcel.id).await.unwrap();
    talks(t).await;
    t.order(order.id).await
}

/// What she and the shop tell each other, and a subscriber who hears of it.
async fn talks(t: &TestShop) {
    let hook = webhooks::Create {
        url: "http://127.0.0.1:9/hook".into(),
        events: vec!["ticket.*".into(), "customer.*".into()],
        description: None,
        store_id: None,
        is_active: None,
    };
    webhooks::create(&t.ctx(&t.admin), hook).await.unwrap();
    let case = tickets::Create {
        customer_id: None,
        order_id: None,
        subject: "Where is Lark Row?".into(),
        text: "I am Ada Byron".into(),
    };
    let case = tickets::create(&t.ctx(&t.ada.principal), case).await.unwrap().view;
    let answer = tickets::Reply { text: "Dear Ada".into(), is_internal: false };
    tickets::reply(&t.ctx(&t.lead), case.id, answer).await.unwrap();
    let title = "Ada's mug".to_owned();
    let opinion = reviews::Create { customer_id: None, stars: 5, title, text: "Byron would love it".into() };
    let opinion = reviews::create(&t.ctx(&t.ada.principal), t.goods.mug, opinion).await.unwrap().view;
    let fine =
        reviews::Moderate { decision: ReviewDecision::Publish, note: Some("Ada is known to us".into()) };
    let opinion = reviews::moderate(&t.at(&t.admin, opinion.version), opinion.id, fine).await.unwrap().view;
    let thanks = reviews::Reply { text: "Thank you, Ada".into() };
    reviews::reply(&t.at(&t.admin, opinion.version), opinion.id, thanks).await.unwrap();
    let exempt = taxes::SetExemption {
        certificate: "Ada Byron 22767".into(),
        country: "DE".into(),
        region: None,
        valid_until: None,
    };
    taxes::set_exemption(&t.at(&t.admin, 0), t.ada.customer, exempt).await.unwrap();
}

async fn version(t: &TestShop) -> i64 {
    crate::customers::get(&t.ctx(&t.admin), t.ada.customer).await.unwrap().version
}

/// What came of it afterwards: a return that was refused, money for goodwill, and what was said about both.
async fn complains(t: &TestShop, order: &order_service::View) {
    let input = returns::Request {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }]),
        reason: ReturnReason::Faulty,
        note: Some("it broke at Lark Row".into()),
        refund_to: None,
        refund_method_id: None,
        approval_id: None,
    };
    let back = returns::request(&t.ctx(&t.ada.principal), order.id, input).await.unwrap().view;
    let no = returns::Reject { reason: "Ada Byron broke it herself".into() };
    returns::reject(&t.at(&t.lead, back.version), back.id, no).await.unwrap();
    let wanted = refunds::WithoutReturn {
        lines: Some(vec![LineUnits { line_id: order.lines[0].id, quantity: 1 }]),
        reason: RefundReason::Goodwill,
        destination: None,
        gift_card_id: None,
        approval_id: None,
    };
    let serde_json::Value::Object(input) = serde_json::to_value(&wanted).unwrap() else { panic!() };
    let ask = approvals::Request {
        operation: "refund_without_return".into(),
        subject: order.id.to_string(),
        input,
        reason: "Ada Byron is upset".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(&t.agent), ask).await.unwrap().view;
    let yes = approvals::Decide { note: Some("she lives in Lark Row".into()) };
    let asked = approvals::approve(&t.at(&t.lead, asked.version), asked.id, yes).await.unwrap().view;
    let with = refunds::WithoutReturn { approval_id: Some(asked.id), ..wanted };
    let ctx = t.at(&t.agent, t.order(order.id).await.version);
    refunds::without_return(&ctx, order.id, with).await.unwrap();
    let sorry =
        credit::Issue { amount_minor: 500, currency: None, approval_id: None, reason: "sorry, Ada".into() };
    credit::issue(&t.at(&t.lead, 1), t.ada.customer, sorry).await.unwrap();
}

#[tokio::test]
async fn nothing_in_any_table_tells_who_she_was_and_the_books_stay() {
    let t = TestShop::open().await;
    let order = Box::pin(lives(&t)).await;
    complains(&t, &order).await;
    let action = action(&t, &order).await;
    let key = || t.ctx(&t.ada.principal).with_call(call("her own key", Some(0)));
    addresses::validate(&t.ctx(&t.ada.principal), lark_row()).await.unwrap();
    let other = addresses::Create { label: "Second".into(), address: lark_row(), is_default: false };
    addresses::create(&key(), t.ada.customer, other.clone()).await.unwrap();
    assert!(told(&t.shop.db).await.len() > 20, "she was written down all over");
    let before = ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap();
    let order = t.order(order.id).await;

    let by_lead = anonymize(&t.at(&t.lead, version(&t).await), t.ada.customer).await.unwrap_err();
    assert_eq!(by_lead.code.as_str(), "forbidden");
    let gone = anonymize(&t.at(&t.admin, version(&t).await), t.ada.customer).await.unwrap().view;
    assert_eq!((gone.status, gone.first_name.as_str()), (CustomerStatus::Anonymized, ERASED));
    assert_eq!(told(&t.shop.db).await, Vec::<String>::new());
    let named: Vec<_> = principals::Entity::find().all(t.shop.db.reader()).await.unwrap();
    assert!(named.iter().all(|row| row.name != "ada" && row.token != "token-ada"));
    assert!(actions::Entity::find_by_id(action).one(t.shop.db.reader()).await.unwrap().is_none());

    // Money, goods and who else there is are as they were.
    assert_eq!(ledger_entries::Entity::find().all(t.shop.db.reader()).await.unwrap(), before);
    let after = t.order(order.id).await;
    assert_eq!((after.total_minor, &after.lines), (order.total_minor, &order.lines));
    assert_eq!((after.payment_status, after.shipping_address.country.as_str()), (order.payment_status, "DE"));
    assert_eq!(t.trouble().await, Vec::<String>::new());
    let bob = crate::customers::get(&t.ctx(&t.admin), t.bob.customer).await.unwrap();
    assert_eq!((bob.first_name.as_str(), bob.email.as_str()), ("Bob", "bob@example.com"));
    let homes = addresses::list(&t.ctx(&t.admin), t.bob.customer, Default::default()).await.unwrap().items;
    assert_eq!(homes[0].address, hamburg("Bob Marlowe"));

    // What was done under a key is not done again, and she is let in no more.
    let again = addresses::create(&key(), t.ada.customer, other).await.unwrap_err();
    assert!(again.detail.contains("erased"), "{again}");
    for token in ["token-ada".to_owned(), format!("erased-{}", t.ada.principal.id)] {
        assert!(sign_in::authenticate(&t.shop, Some(&token), false).await.is_err());
    }
    let twice = anonymize(&t.at(&t.admin, gone.version), t.ada.customer).await.unwrap_err();
    assert_eq!(twice.rule.as_deref(), Some("customer_anonymized"));
}

/// Tables with people in them.
const ERASED_TABLES: [&str; 26] = [
    "action_journal",
    "actions",
    "addresses",
    "approvals",
    "audit_log",
    "carts",
    "consents",
    "credit_entries",
    "customers",
    "disputes",
    "events",
    "fulfillments",
    "idempotency_keys",
    "order_notes",
    "orders",
    "payment_methods",
    "payments",
    "principals",
    "refunds",
    "returns",
    "reviews",
    "scans",
    "tax_exemptions",
    "ticket_messages",
    "tickets",
    "webhook_deliveries",
];

/// Tables with nobody in them.
const NOBODY: [&str; 38] = [
    "attempts",
    "brands",
    "cart_lines",
    "categories",
    "collections",
    "counters",
    "coupons",
    "credit_accounts",
    "exchanges",
    "gift_card_entries",
    "gift_cards",
    "holds",
    "inventory_adjustments",
    "inventory_levels",
    "inventory_transfers",
    "jobs",
    "ledger_entries",
    "locations",
    "order_edits",
    "order_lines",
    "order_promotions",
    "payment_links",
    "price_list_entries",
    "price_lists",
    "product_media",
    "products",
    "promotions",
    "reservations",
    "role_grants",
    "roles",
    "settings",
    "shipping_methods",
    "shipping_zones",
    "staff",
    "stores",
    "tax_rates",
    "variants",
    "webhook_endpoints",
];

/// A new table is a new place where people are written down: whoever adds one decides here, and erases it above.
#[tokio::test]
async fn every_table_is_known_to_hold_nobody_or_is_erased() {
    let t = TestShop::open().await;
    for table in t.shop.db.rows().await.unwrap().keys() {
        let is_known = ERASED_TABLES.contains(&table.as_str()) || NOBODY.contains(&table.as_str());
        assert!(is_known, "who is written down in {table}, and what erases it?");
    }
}
