//! One HTTP answer, before it is bytes on a socket.

use serde::Serialize;
use shop_gateway::wire::{ErrorBody, KeyResult};

use crate::refusals::{self, Refusal};

const JSON: &str = "application/json";

/// What the gateway says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    pub status: u16,
    pub content_type: &'static str,
    pub retry_after_s: Option<u64>,
    /// The same answer was given to this key before.
    pub is_replay: bool,
    pub body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: &impl Serialize) -> Self {
        // Our own types always serialise; an empty 500 is what a reader would see if one did not.
        let (status, body) = serde_json::to_vec(body).map_or((500, Vec::new()), |body| (status, body));
        Self { status, content_type: JSON, retry_after_s: None, is_replay: false, body }
    }

    pub(crate) fn refusal(refusal: Refusal) -> Self {
        Self::json(refusal.status, &ErrorBody { error: refusal.decline() })
    }

    /// A request that is wrong by itself; the books know nothing of it.
    pub(crate) fn invalid(message: String) -> Self {
        let error = shop_gateway::Decline { code: "invalid_request".to_owned(), message };
        Self::json(400, &ErrorBody { error })
    }

    /// The answer to a write.
    pub(crate) fn of(result: &KeyResult) -> Self {
        match result {
            KeyResult::Payment(payment) => Self::json(200, payment),
            KeyResult::Refund(refund) => Self::json(200, refund),
            KeyResult::Refused(decline) => {
                Self::json(refusals::status_of(decline), &ErrorBody { error: decline.clone() })
            }
            KeyResult::Fenced => Self::refusal(refusals::KEY_CANCELLED),
        }
    }
}
