//! The one error of the service layer: a code from the catalogue and the facts an agent needs to go on.

use std::borrow::Cow;

use sea_orm::DbErr;
use serde::{Deserialize, Serialize};
use shop_domain::code::ErrorCode;
use shop_domain::ids::ApprovalId;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation did not do what was asked. Nothing was changed, unless the code is `outcome_unknown`.
#[derive(Debug, thiserror::Error)]
#[error("{code}: {detail}")]
pub struct Error {
    pub code: ErrorCode,
    /// A narrower word than the catalogue's where a standard or a rule has one (`if_match_required`,
    /// `idempotency_in_flight`, `order_has_shipped`).
    pub rule: Option<Cow<'static, str>>,
    pub detail: String,
    pub fields: Vec<FieldProblem>,
    pub retry_after_ms: Option<u64>,
    pub approval_id: Option<ApprovalId>,
    /// Which layer of the pipeline decided, when one did.
    pub layer: Option<&'static str>,
    #[source]
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// One bad field, by JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FieldProblem {
    /// JSON pointer to the field in the request, such as `/items/0/quantity`.
    #[schema(example = "/quantity")]
    pub pointer: String,
    /// What is wrong with it and what would be right.
    pub message: String,
}

impl Error {
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            code,
            rule: None,
            detail: detail.into(),
            fields: Vec::new(),
            retry_after_ms: None,
            approval_id: None,
            layer: None,
            source: None,
        }
    }

    /// A field that cannot be accepted.
    pub fn invalid(pointer: impl Into<String>, message: impl Into<String>) -> Self {
        let message = message.into();
        let mut error = Self::new(ErrorCode::ValidationFailed, message.clone());
        error.fields.push(FieldProblem { pointer: pointer.into(), message });
        error
    }

    /// Absent, or somebody else's: the two are never told apart.
    pub fn not_found(what: impl std::fmt::Display) -> Self {
        Self::new(
            ErrorCode::NotFound,
            format!("there is no {what} that you can see; check the id with a list or search"),
        )
    }

    /// A business rule said no.
    pub fn not_eligible(rule: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotEligible, detail).with_rule(rule)
    }

    /// The thing is not in a state for this.
    pub fn precondition(rule: impl Into<Cow<'static, str>>, detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::PreconditionFailed, detail).with_rule(rule)
    }

    /// A defect of ours, with what led to it.
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, detail)
    }

    #[must_use]
    pub fn with_rule(mut self, rule: impl Into<Cow<'static, str>>) -> Self {
        self.rule = Some(rule.into());
        self
    }

    #[must_use]
    pub fn with_layer(mut self, layer: &'static str) -> Self {
        self.layer = Some(layer);
        self
    }

    #[must_use]
    pub fn after_ms(mut self, retry_after_ms: u64) -> Self {
        self.retry_after_ms = Some(retry_after_ms);
        self
    }
}

impl From<DbErr> for Error {
    fn from(source: DbErr) -> Self {
        if shop_store::is_busy(&source) {
            return Self::new(ErrorCode::UpstreamUnavailable, "the database is busy; nothing was changed")
                .after_ms(200);
        }
        Self { source: Some(Box::new(source)), ..Self::internal("the database did not do what was asked") }
    }
}

impl From<shop_domain::ledger::LedgerError> for Error {
    fn from(error: shop_domain::ledger::LedgerError) -> Self {
        Self { source: Some(Box::new(error)), ..Self::internal("the ledger cannot be written") }
    }
}

impl From<shop_domain::money::MoneyError> for Error {
    fn from(error: shop_domain::money::MoneyError) -> Self {
        Self::new(ErrorCode::ValidationFailed, error.to_string())
    }
}
