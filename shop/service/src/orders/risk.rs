use chrono::TimeDelta;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde::{Deserialize, Serialize};
use shop_domain::governance::RiskLevel;
use shop_domain::ids::OrderId;
use shop_domain::operations::operation;
use shop_domain::status::{AttemptKind, AttemptOutcome, CustomerStatus};
use shop_store::entities::{attempts, customers, orders, stores};

use super::read::find;
use crate::Ctx;
use crate::error::Result;

/// How likely an order is a fraud, by fixed rules: the same facts always give the same score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderRisk)]
pub struct RiskReport {
    pub order_id: OrderId,
    /// 0 to 100; the sum of the reasons' points.
    #[schema(example = 35, minimum = 0, maximum = 100)]
    pub score: i64,
    /// `low` below 30, `high` from 60.
    pub level: RiskLevel,
    pub reasons: Vec<RiskReason>,
}

/// One reason for the score.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderRiskReason)]
pub struct RiskReason {
    /// Stable name of the reason.
    #[schema(example = "first_order")]
    pub reason: String,
    #[schema(example = "the customer's first order")]
    pub detail: String,
    pub points: i64,
}

const SCORE_MAX: i64 = 100;
const MEDIUM: i64 = 30;
const HIGH: i64 = 60;
/// An order above this is large, in minor units.
const LARGE_MINOR: i64 = 50_000;
/// More orders of one customer within a day are unusual.
const ORDERS_A_DAY: u64 = 3;

/// What the rules look at.
struct Facts {
    is_guest: bool,
    is_first: bool,
    is_customer_blocked: bool,
    is_large: bool,
    ships_abroad: bool,
    declines: u64,
    orders_that_day: u64,
}

/// A rule: its name, its points, how it reads, and when it applies.
type Rule = (&'static str, i64, &'static str, fn(&Facts) -> bool);

const RULES: [Rule; 7] = [
    ("guest", 10, "a guest order: nobody is known behind it", |facts| facts.is_guest),
    ("first_order", 15, "the customer's first order", |facts| facts.is_first),
    ("customer_not_active", 40, "the customer is blocked or anonymised", |facts| facts.is_customer_blocked),
    ("large_amount", 20, "more than 500.00 in the order's currency", |facts| facts.is_large),
    ("ships_abroad", 15, "it ships to another country than the store's", |facts| facts.ships_abroad),
    ("declined_payments", 25, "the gateway declined a payment of it", |facts| facts.declines > 0),
    ("many_orders", 20, "more than three orders of the customer within a day", |facts| {
        facts.orders_that_day > ORDERS_A_DAY
    }),
];

/// Fraud score of an order and its reasons.
///
/// # Errors
/// When the order is out of sight.
pub async fn risk(ctx: &Ctx, id: OrderId) -> Result<RiskReport> {
    ctx.may(operation("get_order_risk"))?;
    let conn = ctx.read()?;
    let order = find(ctx, conn, id).await?;
    let facts = facts(conn, &order).await?;
    let reasons: Vec<RiskReason> = RULES
        .iter()
        .filter(|(_, _, _, applies)| applies(&facts))
        .map(|(reason, points, detail, _)| RiskReason {
            reason: (*reason).to_owned(),
            detail: (*detail).to_owned(),
            points: *points,
        })
        .collect();
    let score = reasons.iter().map(|reason| reason.points).sum::<i64>().min(SCORE_MAX);
    let level = match score {
        HIGH.. => RiskLevel::High,
        MEDIUM.. => RiskLevel::Medium,
        _ => RiskLevel::Low,
    };
    Ok(RiskReport { order_id: id, score, level, reasons })
}

async fn facts(conn: &impl ConnectionTrait, order: &orders::Model) -> Result<Facts> {
    let store = stores::Entity::find_by_id(order.store_id).one(conn).await?;
    let declines = attempts::Entity::find()
        .filter(attempts::Column::OrderId.eq(order.id))
        .filter(attempts::Column::Kind.eq(AttemptKind::Authorize))
        .filter(attempts::Column::Outcome.eq(AttemptOutcome::Refused))
        .count(conn)
        .await?;
    let mut facts = Facts {
        is_guest: order.customer_id.is_none(),
        is_first: false,
        is_customer_blocked: false,
        is_large: order.total_minor > LARGE_MINOR,
        ships_abroad: store.is_some_and(|store| store.country != order.shipping_address.country),
        declines,
        orders_that_day: 0,
    };
    let Some(customer) = order.customer_id else { return Ok(facts) };
    let row = customers::Entity::find_by_id(customer).one(conn).await?;
    facts.is_customer_blocked = row.is_some_and(|row| row.status != CustomerStatus::Active);
    let own = || orders::Entity::find().filter(orders::Column::CustomerId.eq(customer));
    let earlier = own().filter(orders::Column::PlacedAt.lt(order.placed_at)).count(conn).await?;
    facts.is_first = earlier == 0;
    facts.orders_that_day = own()
        .filter(orders::Column::PlacedAt.gt(order.placed_at - TimeDelta::hours(24)))
        .filter(orders::Column::PlacedAt.lte(order.placed_at))
        .count(conn)
        .await?;
    Ok(facts)
}
