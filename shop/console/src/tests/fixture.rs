//! A shop with a few rows, and a browser that presses buttons.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{AUTHORIZATION, COOKIE, LOCATION, SET_COOKIE};
use actix_web::{App, test, web};
use async_trait::async_trait;
use chrono::TimeDelta;
use sea_orm::{ActiveModelTrait, Set};
use serde_json::{Value, json};
use shop_domain::after_sales::RulesMode;
use shop_domain::governance::Role;
use shop_domain::ids::{ActionId, ApprovalId, ConsentId, PrincipalId};
use shop_domain::status::ApprovalStatus;
use shop_gateway::Client;
use shop_service::worlds::Shops;
use shop_service::{Profile, Settings, Shop};
use shop_store::entities::{actions, approvals, consents, principals};
use shop_store::{Db, Place};
use shop_world::World;

use crate::{Link, Links, configure};

/// What makes an address of a consent complete.
pub(super) const NONCE: &str = "8f14e45fceea167a";

/// `main` and `other` are the same shop here: what differs is the path.
struct TwoWorlds(Arc<Shop>);

#[async_trait]
impl Shops for TwoWorlds {
    async fn shop(&self, world: &str) -> Option<Arc<Shop>> {
        matches!(world, "main" | "other").then(|| Arc::clone(&self.0))
    }
}

pub(super) struct Fixture {
    pub(super) shop: Arc<Shop>,
    ada: PrincipalId,
    sam: PrincipalId,
}

impl Fixture {
    /// `ada` shops, `bot` acts for her, `sam` is staff, `lea` leads them; their tokens are `tok-` and their names.
    pub(super) async fn open() -> Self {
        let world = World::for_tests();
        let db = Db::open(&Place::Memory).await.unwrap();
        let client = Client::new(&shop_gateway::Settings::new("http://127.0.0.1:9"), &world.name).unwrap();
        let settings = Settings {
            rules: RulesMode::Server,
            idempotency: Profile::Acp,
            door_secret: "a secret of the doors".to_owned(),
            webhook_secret: String::new(),
            console_url: String::new(),
        };
        let shop = Shop::new(world, db, client, settings);
        let ada = principal(&shop, "ada", Role::Shopper, None).await;
        principal(&shop, "bot", Role::Shopper, Some(ada)).await;
        let sam = principal(&shop, "sam", Role::SupportAgent, None).await;
        principal(&shop, "lea", Role::SupportLead, None).await;
        Self { shop, ada, sam }
    }

    /// Pages over a shop that is there already.
    pub(super) fn around(shop: Arc<Shop>) -> Self {
        let nobody = || PrincipalId::new(shop.world.ids.next("principal"));
        Self { ada: nobody(), sam: nobody(), shop }
    }

    /// A question to Ada.
    pub(super) async fn question(&self, summary: Value) -> ConsentId {
        let (world, now) = (&self.shop.world, self.shop.world.clock.now());
        let action = ActionId::new(world.ids.next("act"));
        let tx = self.shop.db.begin().await.unwrap();
        let row = actions::ActiveModel {
            id: Set(action),
            capability: Set("checkout".into()),
            principal_id: Set(self.ada),
            store_id: Set(None),
            customer_id: Set(None),
            entity: Set(None),
            node: Set("CONFIRM_ORDER".into()),
            status: Set("ready_for_confirmation".into()),
            version: Set(3),
            body: Set(json!({})),
            due_at: Set(None),
            lease_until_ms: Set(0),
            lease_owner: Set(None),
            created_at: Set(now),
            updated_at: Set(now),
        };
        row.insert(&*tx).await.unwrap();
        let row = consents::ActiveModel {
            id: Set(ConsentId::new(world.ids.next("con"))),
            action_id: Set(action),
            digest: Set("d".into()),
            status: Set("pending".into()),
            summary: Set(summary),
            nonce: Set(NONCE.into()),
            decided_by: Set(None),
            decided_at: Set(None),
            expires_at: Set(now + TimeDelta::minutes(15)),
            created_at: Set(now),
        };
        let id = row.insert(&*tx).await.unwrap().id;
        tx.commit().await.unwrap();
        id
    }

    /// Sam wants to give 45.00 EUR back.
    pub(super) async fn request(&self) -> ApprovalId {
        let (world, now) = (&self.shop.world, self.shop.world.clock.now());
        let row = approvals::ActiveModel {
            id: Set(ApprovalId::new(world.ids.next("apr"))),
            operation: Set("refund_without_return".into()),
            digest: Set("0123abcd".into()),
            subject: Set("ord_01jz8q4w7c5v6n3m2k1h0g9f8e".into()),
            subject_version: Set(Some(4)),
            store_id: Set(None),
            brand_id: Set(None),
            customer_id: Set(None),
            input: Set(json!({ "amount_minor": 4_500, "reason": "damaged" })),
            amount_minor: Set(Some(4_500)),
            currency: Set(Some("EUR".into())),
            reason: Set("The parcel arrived <crushed>.".into()),
            requester_id: Set(self.sam),
            requester_name: Set("sam".into()),
            status: Set(ApprovalStatus::Waiting),
            decided_by: Set(None),
            decided_at: Set(None),
            decision_note: Set(None),
            action_id: Set(None),
            expires_at: Set(now + TimeDelta::hours(24)),
            created_at: Set(now),
            version: Set(1),
        };
        let tx = self.shop.db.begin().await.unwrap();
        let id = row.insert(&*tx).await.unwrap().id;
        tx.commit().await.unwrap();
        id
    }
}

async fn principal(shop: &Shop, name: &str, role: Role, acts_for: Option<PrincipalId>) -> PrincipalId {
    let id = PrincipalId::new(shop.world.ids.next("principal"));
    let row = principals::ActiveModel {
        id: Set(id),
        name: Set(name.into()),
        role: Set(role),
        token: Set(format!("tok-{name}")),
        is_agent: Set(acts_for.is_some()),
        on_behalf_of: Set(acts_for),
        brand_id: Set(None),
        store_id: Set(None),
        customer_id: Set(None),
        created_at: Set(shop.world.clock.now()),
        deactivated_at: Set(None),
    };
    let tx = shop.db.begin().await.unwrap();
    row.insert(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// One page as a browser gets it.
pub(super) struct Seen {
    pub(super) status: StatusCode,
    pub(super) html: String,
    pub(super) location: Option<String>,
    pub(super) cookie: Option<String>,
    pub(super) headers: actix_web::http::header::HeaderMap,
}

/// Somebody's browser.
pub(super) struct Browser<'f> {
    fixture: &'f Fixture,
    cookie: Option<String>,
    bearer: Option<String>,
}

impl<'f> Browser<'f> {
    pub(super) fn new(fixture: &'f Fixture) -> Self {
        Self { fixture, cookie: None, bearer: None }
    }

    pub(super) fn with_cookie(fixture: &'f Fixture, cookie: &str) -> Self {
        Self { cookie: Some(cookie.to_owned()), ..Self::new(fixture) }
    }

    /// A program that sends its token as on REST.
    pub(super) fn with_bearer(fixture: &'f Fixture, token: &str) -> Self {
        Self { bearer: Some(format!("Bearer {token}")), ..Self::new(fixture) }
    }

    pub(super) async fn of(fixture: &'f Fixture, name: &str) -> Self {
        let mut browser = Self::new(fixture);
        let signed = browser.press("/console/login", &[("token", &format!("tok-{name}"))]).await;
        assert_eq!(signed.status, StatusCode::SEE_OTHER, "{}", signed.html);
        browser.cookie = signed.cookie.map(|cookie| cookie.split(';').next().unwrap().to_owned());
        assert!(browser.cookie.is_some());
        browser
    }

    pub(super) async fn open(&self, path: &str) -> Seen {
        self.send(test::TestRequest::get().uri(path)).await
    }

    pub(super) async fn press(&self, path: &str, fields: &[(&str, &str)]) -> Seen {
        self.send(test::TestRequest::post().uri(path).set_form(fields)).await
    }

    /// The same button on somebody else's page.
    pub(super) async fn press_from_elsewhere(&self, path: &str, fields: &[(&str, &str)]) -> Seen {
        let header = ("sec-fetch-site", "same-site");
        self.send(test::TestRequest::post().uri(path).set_form(fields).insert_header(header)).await
    }

    async fn send(&self, mut request: test::TestRequest) -> Seen {
        if let Some(cookie) = &self.cookie {
            request = request.insert_header((COOKIE, cookie.clone()));
        }
        if let Some(bearer) = &self.bearer {
            request = request.insert_header((AUTHORIZATION, bearer.clone()));
        }
        let shops: Arc<dyn Shops> = Arc::new(TwoWorlds(Arc::clone(&self.fixture.shop)));
        let link =
            Link { name: "REST".into(), url: "http://shop.test/v1".into(), about: "200 operations".into() };
        let app = App::new()
            .app_data(web::Data::new(shops))
            .app_data(web::Data::new(Links(vec![link])))
            .configure(configure);
        let app = test::init_service(app).await;
        let response = test::call_service(&app, request.to_request()).await;
        let (status, headers) = (response.status(), response.headers().clone());
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap().to_owned());
        let (location, cookie) = (text(LOCATION), text(SET_COOKIE));
        let html = String::from_utf8(test::read_body(response).await.to_vec()).unwrap();
        Seen { status, html, location, cookie, headers }
    }
}
