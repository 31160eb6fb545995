//! The first page: what runs here, and what waits for whoever signed in.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use askama::Template;
use shop_domain::code::ErrorCode;
use shop_domain::status::{ApprovalStatus, OrderFulfillmentStatus, OrderStatus};
use shop_service::{Ctx, PageQuery, approvals, consents, orders};

use crate::facts::{money, time};
use crate::page::{Frame, Refused, Result, human, show as render};
use crate::visit::Visit;

/// Orders shown.
const ORDERS_MAX: i64 = 10;
/// How far waiting things are counted.
const COUNT_MAX: i64 = 100;

/// What else the process serves; the composition root knows the addresses.
#[derive(Clone, Debug, Default)]
pub struct Links(pub Vec<Link>);

/// One address a reader may want.
#[derive(Clone, Debug)]
pub struct Link {
    pub name: String,
    pub url: String,
    pub about: String,
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomePage {
    frame: Frame,
    links: Vec<Link>,
    now: String,
    is_frozen: bool,
    rules: &'static str,
    waiting: Option<Waiting>,
}

/// What waits for a person.
struct Waiting {
    consents: usize,
    /// `None` for people who do not see approvals.
    approvals: Option<String>,
    orders: Vec<OrderLine>,
}

struct OrderLine {
    number: String,
    placed: String,
    payment: String,
    total: String,
}

pub(crate) async fn show(visit: Visit, links: Option<Data<Links>>) -> Result {
    let waiting = match visit.signed_in() {
        Some(ctx) => Some(waiting(&visit.frame, &ctx).await?),
        None => None,
    };
    let clock = &visit.shop.world.clock;
    let page = HomePage {
        links: links.map(|links| links.0.clone()).unwrap_or_default(),
        now: time(clock.now()),
        is_frozen: clock.is_frozen(),
        rules: visit.shop.settings.rules.as_str(),
        waiting,
        frame: visit.frame,
    };
    Ok(render(StatusCode::OK, &page))
}

async fn waiting(frame: &Frame, ctx: &Ctx) -> Result<Waiting> {
    let filter = approvals::Filter { status: Some(ApprovalStatus::Waiting), ..approvals::Filter::default() };
    let approvals = unless_forbidden(frame, approvals::list(ctx, filter, first(COUNT_MAX)).await)?;
    let filter = orders::Filter {
        status: Some(OrderStatus::Confirmed),
        fulfillment_status: Some(OrderFulfillmentStatus::Unfulfilled),
        ..orders::Filter::default()
    };
    let orders = unless_forbidden(frame, orders::list(ctx, filter, first(ORDERS_MAX)).await)?;
    let consents = consents::waiting(ctx).await.map_err(|error| Refused::service(frame, &error))?;
    Ok(Waiting {
        consents: consents.len(),
        approvals: approvals
            .map(|page| format!("{}{}", page.items.len(), if page.has_more { "+" } else { "" })),
        orders: orders.map(|page| page.items.iter().map(order_line).collect()).unwrap_or_default(),
    })
}

fn first(limit: i64) -> PageQuery {
    PageQuery { limit: Some(limit), cursor: None }
}

/// What a person may not see is simply not on their page.
fn unless_forbidden<T>(frame: &Frame, found: shop_service::Result<T>) -> Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.code == ErrorCode::Forbidden => Ok(None),
        Err(error) => Err(Refused::service(frame, &error)),
    }
}

fn order_line(order: &orders::View) -> OrderLine {
    OrderLine {
        number: order.number.clone(),
        placed: time(order.placed_at),
        payment: human(order.payment_status.as_str()),
        total: money(order.total_minor, Some(order.currency.as_str())),
    }
}
