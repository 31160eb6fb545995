//! What a wish comes to: the deed itself, rehearsed. So the price, the approval and every refusal are the shop's own.

use mcp_actions_engine::Map;
use mcp_actions_engine::parts::{Risk, RiskLevel};
use shop_domain::code::ErrorCode;
use shop_domain::governance::{self, Gate, RiskFacts};
use shop_domain::operations::Class;
use shop_service::{Error, LineUnits, Noted, refunds};

use super::desk::Desk;
use super::dispatch::Chosen;
use super::remedy::Remedy;
use crate::caller::Caller;
use crate::deeds::{Deed, Fruit};

#[derive(Clone, Debug, Default)]
pub(super) struct Quote {
    /// In minor units: what goes back, or the signed difference of an exchange.
    pub(super) minor: i64,
    pub(super) noted: Noted,
}

pub(super) async fn quote(
    caller: &Caller,
    desk: &Desk,
    chosen: &Chosen,
    given: &Map,
) -> Result<Quote, Error> {
    let agreed = desk.agreed(chosen, given, None);
    let order = desk.case.order.id;
    // What a report or an inspection has to come before cannot be rehearsed yet; what it is worth is known.
    if !chosen.lost.is_empty() || agreed.condition.is_some() {
        let minor = match agreed.condition {
            Some(grade) if !grade.is_paid_for() => 0,
            Some(_) | None => worth(caller, desk, agreed.units()).await?,
        };
        return Ok(Quote { minor, noted: foreseen(desk, minor) });
    }
    let deed = match chosen.remedy {
        Remedy::Cancel if desk.case.facts.has_refundable => agreed.refund(order),
        Remedy::RefundUnshipped
        | Remedy::RefundKept
        | Remedy::RefundReturned
        | Remedy::ShippingFee
        | Remedy::ShippingDifference
        | Remedy::PriceAdjustment => agreed.refund(order),
        Remedy::Return | Remedy::Exchange => agreed.request(order),
        Remedy::Cancel | Remedy::Replace => agreed.main(order),
    };
    let deed = deed.ok_or_else(|| Error::internal("a wish that comes to no deed"))?;
    let (fruit, noted) = deed.rehearse(caller).await?;
    let minor = match (&fruit, &deed) {
        (Fruit::Refunds(batch), _) => batch.total_minor,
        (Fruit::Exchange(row), _) => row.difference_minor,
        (Fruit::Return(_), Deed::Return(..)) => worth(caller, desk, agreed.units()).await?,
        (
            Fruit::Return(_)
            | Fruit::Order(_)
            | Fruit::Requoted(_)
            | Fruit::Parcel(_)
            | Fruit::Redirected(_)
            | Fruit::Profile(_),
            _,
        ) => 0,
    };
    Ok(Quote { minor, noted })
}

/// What the shop will say about giving that much away. It judges again when it is done.
fn foreseen(desk: &Desk, minor: i64) -> Noted {
    let case = &desk.case;
    let facts = RiskFacts {
        amount_minor: minor,
        order_total_minor: case.order.total_minor,
        ..RiskFacts::of(Class::M)
    };
    let risk = governance::risk(&facts);
    let approval = match governance::gate(&risk, &case.policy) {
        Gate::Pass => None,
        Gate::NeedsApproval { reason } => Some(reason),
    };
    Noted { approval, risk: Some(risk) }
}

/// What units are worth, and would go back for them.
async fn worth(caller: &Caller, desk: &Desk, lines: Vec<LineUnits>) -> Result<i64, Error> {
    let ask = refunds::Calculate { lines: Some(lines) };
    let left = refunds::calculate(&caller.ctx(), desk.case.order.id, ask).await?;
    Ok(left.asked_minor.unwrap_or(0))
}

/// The field that a refusal of the shop is about.
pub(super) fn field_of(error: &Error) -> &'static str {
    let pointer = error.fields.first().map_or("", |field| field.pointer.as_str());
    let named = [
        ("/coupon_code", "coupon_code"),
        ("/refund_to", "refund_to"),
        ("/destination", "refund_to"),
        ("/refund_method_id", "refund_method_id"),
        ("/gift_card_id", "refund_method_id"),
        ("/settle_with", "settle_with"),
        ("/note", "details"),
        ("/lines", "items"),
    ];
    let by_pointer = named.into_iter().find(|(start, _)| pointer.starts_with(start)).map(|(_, field)| field);
    let by_code = || {
        let of_code = [
            (ErrorCode::CouponInvalid, "coupon_code"),
            (ErrorCode::OutOfStock, "items"),
            (ErrorCode::PaymentDeclined, "settle_with"),
        ];
        of_code.into_iter().find(|(code, _)| *code == error.code).map(|(_, field)| field)
    };
    let by_rule = || match error.rule.as_deref() {
        Some("destination_not_offered") => Some("refund_to"),
        Some("coupon_used") => Some("coupon_code"),
        Some(_) | None => None,
    };
    by_pointer.or_else(by_code).or_else(by_rule).unwrap_or_default()
}

/// The shop's risk in the engine's words.
pub(super) fn risk(noted: &Noted) -> Risk {
    let Some(found) = &noted.risk else {
        return Risk { level: RiskLevel::Low, factors: Vec::new() };
    };
    let level = match found.level {
        governance::RiskLevel::Low => RiskLevel::Low,
        governance::RiskLevel::Medium => RiskLevel::Medium,
        governance::RiskLevel::High => RiskLevel::High,
    };
    let factors = found.factors.iter().map(|factor| format!("{}: {}", factor.factor, factor.detail));
    Risk { level, factors: factors.chain(noted.approval.clone()).collect() }
}
