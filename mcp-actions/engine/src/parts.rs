//! The small shapes that flows fill in and views show.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reason::Reason;

/// A JSON object: patches, inputs, summaries and context blocks.
pub type Map = serde_json::Map<String, Value>;

/// The one business object an action is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntityRef {
    /// "Order", "Return", "Customer", …
    pub kind: String,
    pub id: String,
    /// What a person calls it: "#1042, blue mug".
    pub label: String,
}

impl EntityRef {
    #[must_use]
    pub fn as_ref(&self) -> Ref {
        Ref { kind: self.kind.clone(), id: self.id.clone() }
    }
}

/// A typed id in `result_refs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ref {
    #[serde(rename = "type")]
    pub kind: String,
    pub id: String,
}

/// One thing the caller's words may have meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    pub label: String,
    pub confidence: f64,
    /// What spoke for it, or for a near miss what spoke against it.
    pub reason: String,
}

/// Why the server believes what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub source: String,
    pub logic: String,
    pub matched: Vec<String>,
    pub detail: String,
}

/// A value that would help.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Suggestion {
    pub field: String,
    pub value: Value,
    pub label: String,
    pub confidence: f64,
}

/// Why one field of a patch did not take effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValidationError {
    pub field: String,
    pub code: Reason,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<Vec<Value>>,
    pub suggestions: Vec<Suggestion>,
}

impl ValidationError {
    #[must_use]
    pub fn new(field: &str, code: Reason, message: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            code,
            message: message.into(),
            allowed: None,
            suggestions: Vec::new(),
        }
    }

    #[must_use]
    pub fn allowing(mut self, allowed: Vec<Value>) -> Self {
        self.allowed = Some(allowed);
        self
    }

    #[must_use]
    pub fn suggesting(mut self, suggestions: Vec<Suggestion>) -> Self {
        self.suggestions = suggestions;
        self
    }
}

/// What went wrong and is not final.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RecoverableError {
    pub field: Option<String>,
    pub code: Reason,
    pub message: String,
    pub suggestions: Vec<Suggestion>,
}

/// How much could go wrong, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Risk {
    pub level: RiskLevel,
    pub factors: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RiskLevel {
    Low,
    Medium,
    High,
}

/// One value a person can choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Choice {
    pub value: Value,
    pub label: String,
}

/// What the outside system says about the effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verification {
    /// The outside system's word: "paid", "refunded", "not_found", …
    pub status: String,
    /// In minor units of `currency`.
    pub amount: Option<i64>,
    pub currency: Option<String>,
    pub observed_at: DateTime<Utc>,
    pub source: String,
}

/// The seven tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    SearchCapabilities,
    StartAction,
    GetContext,
    AdvanceAction,
    ConfirmAction,
    VerifyAction,
    RecoverAction,
}

impl Tool {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SearchCapabilities => "search_capabilities",
            Self::StartAction => "start_action",
            Self::GetContext => "get_context",
            Self::AdvanceAction => "advance_action",
            Self::ConfirmAction => "confirm_action",
            Self::VerifyAction => "verify_action",
            Self::RecoverAction => "recover_action",
        }
    }
}

/// One call the caller may make next.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NextAction {
    pub tool: Tool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args: Option<Map>,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requires_user_approval: Option<bool>,
}

impl NextAction {
    #[must_use]
    pub fn new(tool: Tool, description: impl Into<String>) -> Self {
        Self { tool, args: None, description: description.into(), requires_user_approval: None }
    }

    /// Adds one argument the caller can pass on as it is.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.args.get_or_insert_default().insert(name.to_owned(), value.into());
        self
    }

    /// Marks the call as one the person has to agree to.
    #[must_use]
    pub fn needing_consent(mut self) -> Self {
        self.requires_user_approval = Some(true);
        self
    }
}
