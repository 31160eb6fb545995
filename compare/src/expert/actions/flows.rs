//! After-sales, cancelling, addresses, tracking: one entry each, and the shop's code decides what it is.

use serde_json::{Value, json};

use super::carry_out;
use crate::expert::Session;
use crate::intent::Intent;

pub(super) async fn perform(session: &mut Session<'_>, intent: &Intent) -> anyhow::Result<()> {
    let (capability, target, patch) = asked(intent);
    let view = session.start(capability, target.as_deref(), patch).await?;
    carry_out(session, view).await
}

/// Capability, what it is about, and everything that was said.
fn asked(intent: &Intent) -> (&'static str, Option<String>, Value) {
    match intent {
        Intent::TrackOrder(words) | Intent::ReadOrder(words) => {
            ("track_order", Some(words.order.clone()), json!({}))
        }
        Intent::CancelOrder(words) => {
            ("cancel_order", Some(words.order.clone()), json!({ "reason": words.reason }))
        }
        Intent::Checkout(_)
        | Intent::RefundUnshipped(_)
        | Intent::LostParcelRefund(_)
        | Intent::LostParcelReplacement(_)
        | Intent::RefundKeepItems(_)
        | Intent::ReturnItems(_)
        | Intent::RefundReturned(_)
        | Intent::ExchangeItems(_)
        | Intent::RefundShippingFee(_)
        | Intent::RefundShippingDifference(_)
        | Intent::RefundMissedCoupon(_)
        | Intent::ChangeOrderAddress(_)
        | Intent::ChangeProfileAddress(_) => ("after_sales", None, json!({})),
    }
}
