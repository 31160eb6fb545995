//! One call to the gateway, and the fault it meets, if any.
//!
//! Order of choice: the `Mock-Response` header of this call, then the world's script, then the test instrument.
//! Without a fault an exchange is exactly [`Exchange::process`].

use std::sync::Arc;

use shop_gateway::wire::Operation;
use shop_gateway::wire::ledger::Request;
use shop_world::{FaultRule, Placement, journal};

use crate::account::Account;
use crate::faults::{self, Apply, Fault, Injection};
use crate::instruments::{self, Behaviour, RefundBehaviour};
use crate::refusals::{self, Refusal};
use crate::reply::Reply;
use crate::rules::Bend;

/// What is asked of the gateway.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    Write { key: String, request: Request },
    Fence { key: String },
    FindKey { key: String },
    FindPayment { id: String },
    FindRefund { id: String },
}

impl Ask {
    #[must_use]
    pub const fn operation(&self) -> Operation {
        match self {
            Self::Write { request, .. } => request.operation(),
            Self::Fence { .. } => Operation::Fence,
            Self::FindKey { .. } | Self::FindPayment { .. } | Self::FindRefund { .. } => Operation::Lookup,
        }
    }

    /// What a script's `key` is matched against.
    #[must_use]
    pub fn subject(&self) -> &str {
        match self {
            Self::Write { key, .. } | Self::Fence { key } | Self::FindKey { key } => key,
            Self::FindPayment { id } | Self::FindRefund { id } => id,
        }
    }
}

/// How the answer goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delivery {
    Reply(Reply),
    /// After a while, whatever [`Exchange::process`] says then.
    Slow,
    /// Never; the connection stays open until the caller gives up.
    Hang,
    /// Never; and the request left in the queue is carried out after the caller gave up.
    HangAndCarryOut,
    /// Never; the connection is closed at once.
    Close,
    /// The first half, then the connection is closed.
    Cut(Reply),
}

/// A call under way; what a fault gets to work on.
pub struct Exchange {
    account: Arc<Account>,
    ask: Ask,
    mock: Option<Injection>,
    placement: Placement,
    /// The bank's words, if the fault is a decline.
    decline: Refusal,
    bend: Bend,
    reply: Option<Reply>,
}

impl Exchange {
    #[must_use]
    pub fn new(account: Arc<Account>, ask: Ask, mock: Option<Injection>) -> Self {
        Self {
            account,
            ask,
            mock,
            placement: Placement::Before,
            decline: refusals::GENERIC_DECLINE,
            bend: Bend::default(),
            reply: None,
        }
    }

    /// Carries the call out, with its fault. Blocks while the books are written.
    pub fn run(&mut self) -> Delivery {
        let injection = self.injection();
        let fault = injection.as_ref().map(|injection| injection.fault.name);
        let delivery = match injection {
            None => Delivery::Reply(self.process()),
            Some(injection) => self.meet(&injection),
        };
        self.write_journal(fault, &delivery);
        delivery
    }

    /// Does what was asked, once: the ledger moves here and nowhere else.
    pub fn process(&mut self) -> Reply {
        if let Some(reply) = &self.reply {
            return reply.clone();
        }
        let reply = match &self.ask {
            Ask::Write { key, request } => self.account.write(key, request, self.bend),
            Ask::Fence { key } => self.account.fence(key),
            Ask::FindKey { key } => self.account.find_key(key),
            Ask::FindPayment { id } => self.account.find_payment(id),
            Ask::FindRefund { id } => self.account.find_refund(id),
        };
        self.reply.insert(reply).clone()
    }

    /// What [`Exchange::process`] would say, with nothing done.
    pub(crate) fn pretend(&mut self) -> Reply {
        match &self.ask {
            Ask::Write { key, request } => self.account.pretend(key, request),
            Ask::Fence { .. } | Ask::FindKey { .. } | Ask::FindPayment { .. } | Ask::FindRefund { .. } => {
                self.process()
            }
        }
    }

    /// Leaves the call in the queue, to be carried out later.
    pub(crate) fn park(&self) {
        if let Ask::Write { key, request } = &self.ask {
            self.account.park(key, request);
        }
    }

    pub(crate) const fn placement(&self) -> Placement {
        self.placement
    }

    pub(crate) const fn decline(&self) -> Refusal {
        self.decline
    }

    pub(crate) const fn bend(&mut self) -> &mut Bend {
        &mut self.bend
    }

    fn meet(&mut self, injection: &Injection) -> Delivery {
        self.placement = injection.placement();
        self.decline = injection.decline;
        if self.placement == Placement::After {
            self.process();
        }
        match injection.fault.apply {
            Apply::Call(apply) => apply(self),
            // Not among the faults of any call: `Fault::is_for` sees to it.
            Apply::Webhook(_) => Delivery::Reply(self.process()),
        }
    }

    fn injection(&mut self) -> Option<Injection> {
        let operation = self.ask.operation();
        if let Some(mock) = self.mock.take() {
            return Some(mock);
        }
        let is_ours = |name: &str| faults::named(name).is_some_and(|found| found.fault.is_for(operation));
        let plan = &self.account.world().faults;
        if let Some(hit) = plan.take_known(operation.name(), self.ask.subject(), is_ours) {
            return faults::named(&hit.fault).map(|found| Injection { asked: hit.placement, ..found });
        }
        self.instrument_fault().and_then(faults::named)
    }

    /// An instrument's fault meets only the first call of a key, or nobody would ever get the answer.
    fn instrument_fault(&self) -> Option<&'static str> {
        let Ask::Write { key, request } = &self.ask else { return None };
        let name = match request {
            Request::Authorize(input) => match instruments::find(&input.instrument)?.behaviour {
                Behaviour::Fault(name) => name,
                Behaviour::Approve
                | Behaviour::Decline(_)
                | Behaviour::PartialApproval
                | Behaviour::DisputeLater => return None,
            },
            Request::Refund(input) => match instruments::magic_refund(input.amount_minor)? {
                RefundBehaviour::Fault(name) => name,
                RefundBehaviour::Decline(_)
                | RefundBehaviour::SucceedsLater
                | RefundBehaviour::FailsLater => {
                    return None;
                }
            },
            Request::Capture { .. }
            | Request::Void { .. }
            | Request::Contest { .. }
            | Request::Concede { .. }
            | Request::Fence => return None,
        };
        (!self.account.has_key(key)).then_some(name)
    }

    fn write_journal(&self, fault: Option<&'static str>, delivery: &Delivery) {
        let said = match delivery {
            Delivery::Reply(reply) => reply.status.to_string(),
            Delivery::Slow => "slow".to_owned(),
            Delivery::Hang | Delivery::HangAndCarryOut => "no answer".to_owned(),
            Delivery::Close | Delivery::Cut(_) => "closed".to_owned(),
        };
        let about = match &self.ask {
            Ask::Write { request: Request::Authorize(input), .. } => Some(input.reference.clone()),
            Ask::Write { request: Request::Capture { payment, .. } | Request::Void { payment }, .. } => {
                Some(payment.clone())
            }
            Ask::Write { request: Request::Refund(input), .. } => Some(input.reference.clone()),
            Ask::Write {
                request: Request::Contest { dispute, .. } | Request::Concede { dispute }, ..
            } => Some(dispute.clone()),
            Ask::Write { request: Request::Fence, .. } | Ask::Fence { .. } | Ask::FindKey { .. } => None,
            Ask::FindPayment { id } | Ask::FindRefund { id } => Some(id.clone()),
        };
        let line = journal::Line {
            door: "gateway".to_owned(),
            operation: self.ask.operation().name().to_owned(),
            principal: None,
            key: Some(self.ask.subject().to_owned()),
            about,
            outcome: fault.map_or_else(|| said.clone(), |fault| format!("{said} ({fault})")),
        };
        let world = self.account.world();
        world.journal.write(world.clock.now(), line);
    }
}

/// Reads a `Mock-Response` header: a fault or a decline code, with an optional placement.
///
/// # Errors
/// Says what may be written.
pub fn mock_response(text: &str, operation: Operation) -> Result<Injection, String> {
    let rule: FaultRule = text.parse()?;
    let found = faults::check(&rule)?;
    if rule.operation.is_some() || rule.times.is_some() || !found.fault.is_for(operation) {
        return Err(format!("`{text}` does not fit this call; see the faults for {}", operation.name()));
    }
    Ok(Injection { asked: rule.placement, ..found })
}

impl Injection {
    /// Where the fault strikes: as asked, if it can.
    fn placement(&self) -> Placement {
        let fault: &Fault = self.fault;
        self.asked.filter(|asked| fault.placements.contains(asked)).unwrap_or(fault.default_placement)
    }
}
