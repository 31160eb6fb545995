//! Running a flow's effects through the service: keys, versions, and what an error means to a step.

use mcp_actions_engine::{Record, Refusal, StepKey, StepOutcome};
use shop_domain::code::ErrorCode;
use shop_service::{Call, CallerKey, Ctx, Door, Error};

use crate::caller::Caller;
use crate::failure::{reason, words};

/// When nothing says otherwise, how long to wait before a step is tried again.
const BUSY_MS: u64 = 1_000;

/// One call of the service as a part of a step. Its key is the step's with the part's name, so running the step again
/// gives back what the first run did. `version` is one that was just read: a step never believes in an old one.
pub(crate) fn part(caller: &Caller, record: &Record, key: &StepKey, part: &str, version: Option<i64>) -> Ctx {
    let key = if part.is_empty() { key.as_str().to_owned() } else { format!("{}/{part}", key.as_str()) };
    // The key alone says what is done under it: the inputs of a submitted action do not change.
    let key = CallerKey { request_hash: key.clone(), key, is_system: true };
    let action_id = record.id.parse().ok();
    caller.ctx().with_call(Call { key: Some(key), if_match: version, approval_id: None, action_id })
}

/// The same call, made by the shop itself: what it owes in any case needs nobody's leave.
pub(crate) fn as_shop(ctx: Ctx) -> Ctx {
    let system = Ctx::system(ctx.shop.clone()).principal;
    Ctx::new(ctx.shop, system, Door::Actions).with_call(ctx.call)
}

/// What an error of the service means to a step.
pub(crate) fn outcome(error: &Error) -> StepOutcome {
    match error.code {
        ErrorCode::OutcomeUnknown => StepOutcome::Unknown,
        // Nothing was sent, or somebody else is at it: the same key may be used again.
        ErrorCode::UpstreamUnavailable | ErrorCode::InProgress | ErrorCode::RateLimited => {
            StepOutcome::Busy { after_ms: error.retry_after_ms.unwrap_or(BUSY_MS) }
        }
        // Somebody changed the thing between our read and our write; reading again is all it takes.
        ErrorCode::VersionConflict => StepOutcome::Busy { after_ms: BUSY_MS },
        ErrorCode::ConsentRequired
        | ErrorCode::ApprovalPending
        | ErrorCode::ValidationFailed
        | ErrorCode::FieldNotAllowed
        | ErrorCode::ActionNotAllowed
        | ErrorCode::PreconditionFailed
        | ErrorCode::NotFound
        | ErrorCode::Ambiguous
        | ErrorCode::Forbidden
        | ErrorCode::ConsentStale
        | ErrorCode::ApprovalRejected
        | ErrorCode::IdempotencyKeyRequired
        | ErrorCode::IdempotencyConflict
        | ErrorCode::PaymentDeclined
        | ErrorCode::AuthenticationRequired
        | ErrorCode::OutOfStock
        | ErrorCode::PriceChanged
        | ErrorCode::CouponInvalid
        | ErrorCode::AddressUndeliverable
        | ErrorCode::NotEligible
        | ErrorCode::ActionExpired => StepOutcome::Refused(refusal(error)),
        // A defect of ours says nothing about what happened.
        ErrorCode::Internal => StepOutcome::Unknown,
    }
}

/// A clear no of the service.
pub(crate) fn refusal(error: &Error) -> Refusal {
    Refusal::new(reason(error.code), words(error))
}
