//! Who calls, for whom, and how far they can see.

use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Capability, Role};
use crate::ids::{BrandId, CustomerId, PrincipalId, StoreId};

/// How much of the tenant a principal sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "level", content = "id")]
pub enum Scope {
    /// Everything.
    Tenant,
    /// One brand and what belongs to it.
    Brand(BrandId),
    /// One store and what belongs to it.
    Store(StoreId),
    /// One customer's own things.
    Customer(CustomerId),
}

impl Scope {
    /// Its step on the way from one customer to the tenant: on one such way, the higher one includes the lower.
    #[must_use]
    pub const fn step(&self) -> u8 {
        match self {
            Self::Customer(_) => 0,
            Self::Store(_) => 1,
            Self::Brand(_) => 2,
            Self::Tenant => 3,
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tenant => f.write_str("the tenant"),
            Self::Brand(id) => write!(f, "brand {id}"),
            Self::Store(id) => write!(f, "store {id}"),
            Self::Customer(id) => write!(f, "customer {id}"),
        }
    }
}

/// Whom a thing belongs to. A level that does not apply is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owner {
    /// Its brand.
    pub brand: Option<BrandId>,
    /// Its store.
    pub store: Option<StoreId>,
    /// Its customer.
    pub customer: Option<CustomerId>,
}

/// A role that was given at a scope, besides the one a principal came with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grant {
    /// Name of the role.
    pub role: String,
    /// What it holds.
    pub capabilities: Vec<Capability>,
    /// Where it holds that. All grants of a principal and its home lie on one way from a store to the tenant.
    pub scope: Scope,
}

/// The person an agent acts for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OnBehalfOf {
    /// Their id.
    pub id: PrincipalId,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
}

/// Somebody who calls: a person, or an agent that acts for one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Principal {
    /// Its own id.
    pub id: PrincipalId,
    /// Its name.
    pub name: String,
    /// Its role; an agent has that of its person.
    pub role: Role,
    /// The person an agent acts for; absent for people.
    pub on_behalf_of: Option<OnBehalfOf>,
    /// Whether it is software that decides by itself.
    pub is_agent: bool,
    /// How far it sees in what it is doing; an agent sees what its person sees.
    pub scope: Scope,
    /// Where it holds its own role.
    pub home: Scope,
    /// What it was given besides; an agent has what its person has.
    pub grants: Vec<Grant>,
}

impl Principal {
    /// A person, who acts for nobody else.
    pub fn human(id: PrincipalId, name: impl Into<String>, role: Role, scope: Scope) -> Self {
        Self {
            id,
            name: name.into(),
            role,
            on_behalf_of: None,
            is_agent: false,
            scope,
            home: scope,
            grants: Vec::new(),
        }
    }

    /// An agent that acts for this principal: the same role and scope, and never a decision on approvals.
    pub fn agent(&self, id: PrincipalId, name: impl Into<String>) -> Self {
        let on_behalf_of = self.on_behalf_of.clone().unwrap_or_else(|| OnBehalfOf {
            id: self.id,
            name: self.name.clone(),
            role: self.role,
        });
        Self {
            id,
            name: name.into(),
            role: self.role,
            on_behalf_of: Some(on_behalf_of),
            is_agent: true,
            scope: self.scope,
            home: self.home,
            grants: self.grants.clone(),
        }
    }

    /// The same principal at the widest scope at which it holds a capability; unchanged where it holds it nowhere.
    #[must_use]
    pub fn acting(&self, capability: Capability) -> Self {
        let own = self.role.has(capability).then_some(self.home);
        let given = self.grants.iter().filter(|grant| grant.capabilities.contains(&capability));
        let widest = own.into_iter().chain(given.map(|grant| grant.scope)).max_by_key(Scope::step);
        Self { scope: widest.unwrap_or(self.scope), ..self.clone() }
    }

    /// The role by which it holds a capability where it acts now.
    #[must_use]
    pub fn holds(&self, capability: Capability) -> Option<&str> {
        let reaches = |scope: &Scope| scope.step() >= self.scope.step();
        if self.role.has(capability) && reaches(&self.home) {
            return Some(self.role.as_str());
        }
        let given = self
            .grants
            .iter()
            .find(|grant| reaches(&grant.scope) && grant.capabilities.contains(&capability));
        given.map(|grant| grant.role.as_str())
    }

    /// Its roles by name, for people to read.
    #[must_use]
    pub fn roles(&self) -> String {
        let own = (self.role != Role::None || self.grants.is_empty()).then_some(self.role.as_str());
        let given = self.grants.iter().map(|grant| grant.role.as_str());
        own.into_iter().chain(given).collect::<Vec<_>>().join(", ")
    }

    /// The person behind the call: the principal itself, or whom it acts for.
    #[must_use]
    pub fn person(&self) -> PrincipalId {
        self.on_behalf_of.as_ref().map_or(self.id, |person| person.id)
    }
}
