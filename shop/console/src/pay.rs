//! The page of a payment link: whoever has its address can pay exactly that amount, once.
//!
//! Its address is the right to pay: the id and the nonce together, as with a consent. The gateway's own form would ask
//! for a card; here one of its test cards is chosen.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Form, Path, Query};
use askama::Template;
use serde::Deserialize;
use shop_domain::code::ErrorCode;
use shop_domain::ids::PaymentLinkId;
use shop_domain::status::PaymentLinkStatus;
use shop_service::payment_links::{self, Card, PageView};

use crate::facts::{money, time};
use crate::page::{Frame, Refused, Result, go, sentence, show as render};
use crate::visit::Visit;

#[derive(Deserialize)]
pub(crate) struct LinkPath {
    id: String,
}

#[derive(Deserialize)]
pub(crate) struct Key {
    nonce: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pressed {
    nonce: String,
    token: String,
}

#[derive(Template)]
#[template(path = "pay.html")]
struct PayPage {
    frame: Frame,
    heading: String,
    amount: String,
    order_number: String,
    lines: Vec<Line>,
    /// `None` once it cannot be paid any more.
    form: Option<PayForm>,
    /// Why the last press did not pay.
    notice: Option<String>,
}

struct Line {
    text: String,
    total: String,
}

struct PayForm {
    action: String,
    nonce: String,
    cards: Vec<Card>,
    expires: String,
}

pub(crate) async fn show(visit: Visit, path: Path<LinkPath>, key: Query<Key>) -> Result {
    let (id, nonce) = address(&visit, &path, key.nonce.as_deref())?;
    let view = payment_links::find_for_page(&visit.shop, id, nonce).await;
    let view = view.map_err(|error| Refused::service(&visit.frame, &error))?;
    Ok(page(StatusCode::OK, visit, view, None))
}

pub(crate) async fn pay(visit: Visit, path: Path<LinkPath>, pressed: Form<Pressed>) -> Result {
    let (id, nonce) = address(&visit, &path, Some(&pressed.nonce))?;
    let Err(refusal) = payment_links::pay(&visit.shop, id, nonce, &pressed.token).await else {
        return Ok(go(&format!("{}/pay/{id}?nonce={nonce}", visit.frame.base)));
    };
    if refusal.code == ErrorCode::Internal {
        return Err(Refused::service(&visit.frame, &refusal));
    }
    let view = payment_links::find_for_page(&visit.shop, id, nonce).await;
    let view = view.map_err(|_| Refused::service(&visit.frame, &refusal))?;
    let notice = if refusal.code == ErrorCode::OutcomeUnknown {
        "Your bank has not answered yet. Press the button again in a moment: it asks what happened and charges nothing twice.".to_owned()
    } else {
        sentence(&refusal.detail)
    };
    let status = StatusCode::from_u16(refusal.code.entry().http).unwrap_or(StatusCode::BAD_REQUEST);
    Ok(page(status, visit, view, Some(notice)))
}

/// Both halves of an address, or the page that says there is nothing.
fn address<'n>(visit: &Visit, path: &LinkPath, nonce: Option<&'n str>) -> Result<(PaymentLinkId, &'n str)> {
    let is_plain = |nonce: &&str| nonce.bytes().all(|byte| byte.is_ascii_alphanumeric());
    match (path.id.parse(), nonce.filter(is_plain)) {
        (Ok(id), Some(nonce)) => Ok((id, nonce)),
        (Ok(_) | Err(_), _) => Err(Refused::not_found(&visit.frame)),
    }
}

fn page(status: StatusCode, visit: Visit, view: PageView, notice: Option<String>) -> HttpResponse {
    let currency = Some(view.currency.as_str());
    let heading = match view.status {
        PaymentLinkStatus::Open => format!("Pay {}", view.store),
        PaymentLinkStatus::Paid => "Thank you, it is paid".to_owned(),
        PaymentLinkStatus::Expired => "This link has expired".to_owned(),
        PaymentLinkStatus::Void => "There is nothing to pay here any more".to_owned(),
    };
    let form = (view.status == PaymentLinkStatus::Open).then(|| PayForm {
        action: format!("{}/pay/{}", visit.frame.base, view.id),
        nonce: view.nonce,
        cards: payment_links::cards(),
        expires: time(view.expires_at),
    });
    let lines = view.lines.iter().map(|line| Line {
        text: format!("{} × {}", line.quantity, line.title),
        total: money(line.total_minor, currency),
    });
    let page = PayPage {
        heading,
        amount: money(view.amount_minor, currency),
        order_number: view.order_number,
        lines: lines.collect(),
        form,
        notice,
        frame: visit.frame,
    };
    render(status, &page)
}
