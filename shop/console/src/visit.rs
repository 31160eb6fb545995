//! One request: in which world, by whom.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use actix_web::dev::Payload;
use actix_web::http::StatusCode;
use actix_web::http::header::AUTHORIZATION;
use actix_web::{FromRequest, HttpRequest, web};
use shop_domain::governance::Principal;
use shop_service::worlds::Shops;
use shop_service::{Ctx, Door, Shop, principals};

use crate::cookie;
use crate::page::{Frame, Refused};

const MAIN_WORLD: &str = "main";

/// The first argument of every page.
pub(crate) struct Visit {
    pub(crate) shop: Arc<Shop>,
    pub(crate) frame: Frame,
    /// Whoever signed in; never an agent.
    person: Option<Arc<Principal>>,
    /// Whether software shows its own token.
    is_agent: bool,
}

impl Visit {
    /// What a signed-in person may call services with.
    ///
    /// # Errors
    /// The sign-in form, when nobody has.
    pub(crate) fn ctx(&self) -> Result<Ctx, Refused> {
        self.signed_in().ok_or_else(|| Refused::sign_in(&self.frame))
    }

    /// Keeps software from answering for the person it acts for.
    ///
    /// # Errors
    /// When the visitor shows an agent's token.
    pub(crate) fn must_be_a_person(&self) -> Result<(), Refused> {
        if !self.is_agent {
            return Ok(());
        }
        let text = "An agent cannot answer for the person it acts for. Nothing was decided.";
        Err(Refused::new(&self.frame, StatusCode::FORBIDDEN, "Only a person answers here", text))
    }

    /// The same, where a page has something for everybody.
    pub(crate) fn signed_in(&self) -> Option<Ctx> {
        let person = self.person.as_ref()?;
        Some(Ctx::new(Arc::clone(&self.shop), Arc::clone(person), Door::Console))
    }
}

impl FromRequest for Visit {
    type Error = Refused;
    type Future = Pin<Box<dyn Future<Output = Result<Self, Refused>>>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let request = request.clone();
        Box::pin(async move { open(&request).await })
    }
}

/// What surrounds a page before it is known who asks.
pub(crate) fn frame(request: &HttpRequest) -> Frame {
    let named = request.match_info().get("world");
    let base = named.map_or_else(|| "/console".to_owned(), |world| format!("/w/{world}/console"));
    Frame { base, world: named.unwrap_or(MAIN_WORLD).to_owned(), who: None }
}

async fn open(request: &HttpRequest) -> Result<Visit, Refused> {
    let frame = frame(request);
    let Some(shops) = request.app_data::<web::Data<Arc<dyn Shops>>>() else {
        tracing::error!("the console was mounted without worlds");
        return Err(Refused::broken(&frame));
    };
    let Some(shop) = shops.shop(&frame.world).await else {
        // Its pages do not exist either, not even its style sheet.
        let frame = Frame { base: "/console".to_owned(), ..frame };
        return Err(Refused::new(
            &frame,
            StatusCode::NOT_FOUND,
            "There is no such world",
            "Nothing runs under this name.",
        ));
    };
    let visitor = match cookie::token(request).or_else(|| bearer(request)) {
        Some(token) => principals::authenticate(&shop, Some(&token), false).await.ok(),
        None => None,
    };
    let is_agent = visitor.as_ref().is_some_and(|principal| principal.is_agent);
    let person = visitor.filter(|principal| !principal.is_agent && cookie::token(request).is_some());
    let frame = Frame { who: person.as_ref().map(|person| person.name.clone()), ..frame };
    Ok(Visit { shop, frame, person, is_agent })
}

/// What a program sends instead of a cookie; it tells who it is, and signs nobody in.
fn bearer(request: &HttpRequest) -> Option<String> {
    let value = request.headers().get(AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(|token| token.trim().to_owned())
}
