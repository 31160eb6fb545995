//! The service's errors in the engine's words. They are the same words.

use mcp_actions_engine::{Failure, Reason};
use shop_domain::code::ErrorCode;
use shop_service::Error;

/// An error of the service as a failure of a call.
pub(crate) fn failure(error: Error) -> Failure {
    let reason = reason(error.code);
    let mut failure = Failure::new(reason, words(&error));
    failure.retry_after_ms = error.retry_after_ms;
    failure
}

/// The engine's word for a code.
pub(crate) fn reason(code: ErrorCode) -> Reason {
    Reason::ALL.into_iter().find(|reason| reason.word() == code.as_str()).unwrap_or(Reason::Internal)
}

/// The catalogue's code for a reason.
pub(crate) fn code(reason: Reason) -> ErrorCode {
    reason.word().parse().unwrap_or(ErrorCode::Internal)
}

/// What a caller may be told. What went wrong inside stays inside.
pub(crate) fn words(error: &Error) -> String {
    if error.code == ErrorCode::Internal {
        tracing::error!(%error, source = error.source.as_ref().map(tracing::field::display), "an action failed inside");
        return "something went wrong inside the shop; nothing more is known".to_owned();
    }
    error.detail.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_reason_and_every_reason_its_code() {
        for code in ErrorCode::ALL {
            assert_eq!(reason(*code).word(), code.as_str());
            assert_eq!(
                serde_json::to_value(reason(*code).outcome()).unwrap(),
                code.outcome().as_str(),
                "{code} means the same on every surface"
            );
        }
        assert_eq!(ErrorCode::ALL.len(), Reason::ALL.len());
    }

    #[test]
    fn what_went_wrong_inside_stays_inside() {
        let failure = failure(Error::internal("table orders has no column x"));
        assert!(!failure.message.contains("orders"));
    }
}
