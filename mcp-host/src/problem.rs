//! A refusal made by the door itself, before or instead of the shop: the same fields as the shop's own problems.

use serde_json::{Value, json};

/// What went wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    /// One sentence that says what to do.
    pub detail: String,
    pub retry_after_ms: Option<u64>,
    pub fields: Vec<Field>,
}

/// Everything a door refuses by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The arguments are wrong; nothing was done.
    ValidationFailed,
    /// The arguments hold fields that do not exist; nothing was done.
    FieldNotAllowed,
    /// The caller may not do this.
    Forbidden,
    /// The system behind the door could not be reached, and nothing can have happened.
    UpstreamUnavailable,
    /// The request was sent and no usable answer came back, so its effect is not known.
    OutcomeUnknown,
    /// Our own mistake; the cause is in the log.
    Internal,
}

/// One complaint about one place in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// JSON pointer into the arguments.
    pub pointer: String,
    pub message: String,
}

impl ProblemKind {
    /// The stable word, from the shop's own catalogue.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ValidationFailed => "validation_failed",
            Self::FieldNotAllowed => "field_not_allowed",
            Self::Forbidden => "forbidden",
            Self::UpstreamUnavailable => "upstream_unavailable",
            Self::OutcomeUnknown => "outcome_unknown",
            Self::Internal => "internal",
        }
    }

    /// Whether the same call may be made again.
    #[must_use]
    pub fn outcome(self) -> &'static str {
        match self {
            Self::UpstreamUnavailable | Self::OutcomeUnknown => "retryable_failure",
            Self::ValidationFailed | Self::FieldNotAllowed | Self::Forbidden | Self::Internal => {
                "terminal_failure"
            }
        }
    }

    /// What a caller should do.
    #[must_use]
    pub fn retry(self) -> &'static str {
        match self {
            Self::ValidationFailed | Self::FieldNotAllowed => "fix_input",
            Self::UpstreamUnavailable => "after_ms",
            Self::OutcomeUnknown => "check_first",
            Self::Forbidden | Self::Internal => "never",
        }
    }

    /// The HTTP status such a problem has.
    #[must_use]
    pub fn status(self) -> u16 {
        match self {
            Self::ValidationFailed | Self::FieldNotAllowed => 400,
            Self::Forbidden => 403,
            Self::UpstreamUnavailable => 503,
            Self::OutcomeUnknown => 504,
            Self::Internal => 500,
        }
    }
}

impl Problem {
    #[must_use]
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after_ms: None, fields: Vec::new() }
    }

    #[must_use]
    pub fn with_fields(mut self, fields: Vec<Field>) -> Self {
        self.fields = fields;
        self
    }

    #[must_use]
    pub fn with_retry_after_ms(mut self, retry_after_ms: u64) -> Self {
        self.retry_after_ms = Some(retry_after_ms);
        self
    }
}

impl From<Problem> for Value {
    fn from(problem: Problem) -> Self {
        let Problem { kind, detail, retry_after_ms, fields } = problem;
        let field = |field: Field| json!({ "pointer": field.pointer, "message": field.message });
        json!({
            "code": kind.code(),
            "outcome": kind.outcome(),
            "reason": kind.code(),
            "detail": detail,
            "retry": kind.retry(),
            "retry_after_ms": retry_after_ms,
            "fields": fields.into_iter().map(field).collect::<Vec<Value>>(),
        })
    }
}
