use serde::{Deserialize, Serialize};
use shop_domain::governance::{Answer, Decision, Layer, Risk, Scope};
use shop_domain::ids::PrincipalId;

/// What every layer says to one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    pub principal: Who,
    pub operation: String,
    pub subject: Option<String>,
    /// What the call would meet in the end.
    pub answer: Answer,
    /// The layer that decides; null when none objects.
    pub decided_by: Option<Layer>,
    /// Its reason; null when none objects.
    pub why: Option<String>,
    /// Every layer, in the order in which calls pass them.
    pub layers: Vec<LayerVerdict>,
    /// The risk, where the call got that far and risk is judged.
    pub risk: Option<Risk>,
}

/// Whose call it would be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    pub id: PrincipalId,
    pub name: String,
    /// All its roles.
    pub roles: String,
    pub is_agent: bool,
    /// Where it would act: the widest scope at which it holds what the operation needs.
    pub scope: Scope,
}

/// What one layer says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerVerdict {
    pub layer: Layer,
    /// Null when it is not asked, because an earlier layer has refused.
    pub answer: Option<Answer>,
    pub why: String,
}

impl From<Decision> for LayerVerdict {
    fn from(decision: Decision) -> Self {
        Self { layer: decision.layer, answer: Some(decision.answer), why: decision.why }
    }
}
