//! The page on which a person says yes or no to exactly one summary.
//!
//! Its address is the right to answer: the id and the nonce together. The nonce is also what a form must bring back,
//! so no other site can press a button.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::web::{Form, Path, Query};
use askama::Template;
use serde::Deserialize;
use shop_domain::ids::ConsentId;
use shop_service::consents::{self, Standing, View};

use crate::facts::{Fact, amount, facts, time};
use crate::page::{Frame, Refused, Result, go, human, show as render};
use crate::visit::Visit;

#[derive(Deserialize)]
pub(crate) struct ConsentPath {
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
    answer: Answer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Yes,
    No,
}

#[derive(Template)]
#[template(path = "consent.html")]
struct ConsentPage {
    frame: Frame,
    title: String,
    person: String,
    amount: Option<String>,
    facts: Vec<Fact>,
    /// What became of the question; `None` while it is open.
    closed: Option<Closed>,
    expires: String,
    action: String,
    nonce: String,
}

/// How a question ended, for whoever looks at its page again.
struct Closed {
    heading: &'static str,
    text: &'static str,
    /// Whether the person's last press did not count.
    is_late: bool,
}

#[derive(Template)]
#[template(path = "consents.html")]
struct ListPage {
    frame: Frame,
    waiting: Vec<Line>,
}

struct Line {
    href: String,
    title: String,
    amount: Option<String>,
    expires: String,
}

pub(crate) async fn show(visit: Visit, path: Path<ConsentPath>, key: Query<Key>) -> Result {
    let (id, nonce) = address(&visit, &path, key.nonce.as_deref())?;
    let view = consents::find_for_page(&visit.shop, id, nonce).await;
    let view = view.map_err(|error| Refused::service(&visit.frame, &error))?;
    Ok(page(visit, view, None))
}

pub(crate) async fn answer(visit: Visit, path: Path<ConsentPath>, pressed: Form<Pressed>) -> Result {
    visit.must_be_a_person()?;
    let (id, nonce) = address(&visit, &path, Some(&pressed.nonce))?;
    match consents::decide(&visit.shop, id, nonce, pressed.answer == Answer::Yes).await {
        Ok(_) => Ok(go(&href(&visit.frame, id, nonce))),
        Err(late) => {
            // A closed question still has a page that says how it ended.
            let view = consents::find_for_page(&visit.shop, id, nonce).await;
            let view = view.map_err(|_| Refused::service(&visit.frame, &late))?;
            if view.standing == Standing::Open {
                return Err(Refused::service(&visit.frame, &late));
            }
            Ok(page(visit, view, Some(pressed.answer)))
        }
    }
}

pub(crate) async fn list(visit: Visit) -> Result {
    let ctx = visit.ctx()?;
    let views = consents::waiting(&ctx).await.map_err(|error| Refused::service(&visit.frame, &error))?;
    let line = |view: View| Line {
        href: href(&visit.frame, view.id, &view.nonce),
        title: human(&view.capability),
        amount: amount(&view.summary),
        expires: time(view.expires_at),
    };
    let waiting = views.into_iter().map(line).collect();
    Ok(render(StatusCode::OK, &ListPage { frame: visit.frame.clone(), waiting }))
}

/// Both halves of an address, or the page that says there is nothing.
fn address<'n>(visit: &Visit, path: &ConsentPath, nonce: Option<&'n str>) -> Result<(ConsentId, &'n str)> {
    let is_plain =
        |nonce: &&str| nonce.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte));
    match (path.id.parse(), nonce.filter(is_plain)) {
        (Ok(id), Some(nonce)) => Ok((id, nonce)),
        (Ok(_) | Err(_), _) => Err(Refused::not_found(&visit.frame)),
    }
}

fn href(frame: &Frame, id: ConsentId, nonce: &str) -> String {
    format!("{}/consents/{id}?nonce={nonce}", frame.base)
}

fn page(visit: Visit, view: View, late: Option<Answer>) -> HttpResponse {
    let closed = closed(view.standing, late.is_some());
    let status = match (late.is_some(), view.standing) {
        (true, Standing::Expired | Standing::Gone) => StatusCode::GONE,
        (true, Standing::Open | Standing::Granted | Standing::Rejected | Standing::Used) => {
            StatusCode::CONFLICT
        }
        (false, _) => StatusCode::OK,
    };
    let page = ConsentPage {
        title: human(&view.capability),
        person: view.person,
        amount: amount(&view.summary),
        facts: facts(&view.summary),
        closed,
        expires: time(view.expires_at),
        action: format!("{}/consents/{}", visit.frame.base, view.id),
        nonce: view.nonce,
        frame: visit.frame,
    };
    render(status, &page)
}

fn closed(standing: Standing, is_late: bool) -> Option<Closed> {
    let (heading, text) = match standing {
        Standing::Open => return None,
        Standing::Granted => (
            "You said yes",
            "Exactly this will be done, once. You can close this page and go on in your conversation.",
        ),
        Standing::Rejected => ("You said no", "Nothing was done. You can close this page."),
        Standing::Used => {
            ("You said yes, and it has been done", "What became of it is in your conversation.")
        }
        Standing::Expired => {
            ("This question has expired", "Nothing was done. Ask your assistant to ask you again.")
        }
        Standing::Gone => (
            "This question is not open any more",
            "What would happen has changed, or was given up. Nothing was done.",
        ),
    };
    Some(Closed { heading, text, is_late })
}
