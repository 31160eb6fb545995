//! A refusal made by the door itself, before or instead of the shop: the same fields as the shop's own problems.

use serde_json::Value;

/// What went wrong, whether trying again helps, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub code: &'static str,
    /// `retryable_failure` or `terminal_failure`.
    pub outcome: &'static str,
    pub reason: &'static str,
    pub detail: String,
    /// What a caller should do: `fix_input`, `after_ms`, `check_first` or `never`.
    pub retry: &'static str,
    pub retry_after_ms: Option<u64>,
    pub fields: Vec<Field>,
}

/// One complaint about one place in the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// JSON pointer into the arguments.
    pub pointer: String,
    pub message: String,
}

impl Problem {
    fn terminal(code: &'static str, retry: &'static str, detail: String, fields: Vec<Field>) -> Self {
        Self { code, outcome: "terminal_failure", reason: code, detail, retry, retry_after_ms: None, fields }
    }

    /// The arguments are wrong; nothing was done.
    #[must_use]
    pub fn validation_failed(detail: impl Into<String>, fields: Vec<Field>) -> Self {
        Self::terminal("validation_failed", "fix_input", detail.into(), fields)
    }

    /// The arguments hold fields that do not exist; nothing was done.
    #[must_use]
    pub fn field_not_allowed(detail: impl Into<String>, fields: Vec<Field>) -> Self {
        Self::terminal("field_not_allowed", "fix_input", detail.into(), fields)
    }

    /// The system behind the door could not be reached and nothing was sent.
    #[must_use]
    pub fn upstream_unavailable(detail: impl Into<String>, retry_after_ms: u64) -> Self {
        Self {
            code: "upstream_unavailable",
            outcome: "retryable_failure",
            reason: "upstream_unavailable",
            detail: detail.into(),
            retry: "after_ms",
            retry_after_ms: Some(retry_after_ms),
            fields: Vec::new(),
        }
    }

    /// The request was sent and no usable answer came back, so its effect is not known.
    #[must_use]
    pub fn outcome_unknown(detail: impl Into<String>) -> Self {
        Self {
            code: "outcome_unknown",
            outcome: "retryable_failure",
            reason: "outcome_unknown",
            detail: detail.into(),
            retry: "check_first",
            retry_after_ms: None,
            fields: Vec::new(),
        }
    }

    /// The caller may not do this.
    #[must_use]
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::terminal("forbidden", "never", detail.into(), Vec::new())
    }

    /// Our own mistake; the cause is in the log, not here.
    #[must_use]
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::terminal("internal", "never", detail.into(), Vec::new())
    }
}

impl From<Problem> for Value {
    fn from(problem: Problem) -> Self {
        let fields: Vec<Value> = problem
            .fields
            .into_iter()
            .map(|field| serde_json::json!({ "pointer": field.pointer, "message": field.message }))
            .collect();
        serde_json::json!({
            "code": problem.code,
            "outcome": problem.outcome,
            "reason": problem.reason,
            "detail": problem.detail,
            "retry": problem.retry,
            "retry_after_ms": problem.retry_after_ms,
            "fields": fields,
        })
    }
}
