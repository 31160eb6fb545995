//! What is known about an order that is to go somewhere else: read once per call, and judged purely from there.

use mcp_actions_engine::parts::NextAction;
use mcp_actions_engine::{Failure, Map, Reason, Refusal};
use serde_json::Value;
use shop_domain::address::Address;
use shop_domain::after_sales::{AfterSalesOperation, RulesMode, Verdict, rule_text, verdict};
use shop_domain::ids::{AddressId, OrderId};
use shop_domain::status::FulfillmentStatus;
use shop_service::after_sales::{self, Case};
use shop_service::shipping::{self, Rate};
use shop_service::{Error, Noted, addresses, catalog, fulfillments, orders, payment_methods, payments};

use super::{ADDRESS, ADDRESS_ID, LABEL, METHOD, SAVE};
use crate::book;
use crate::caller::Caller;
use crate::deeds::{Deed, Fruit, Profile};
use crate::due::Settlement;
use crate::entities::{self, whole_page};
use crate::failure::failure;
use crate::wallet;
use crate::wire::{id, text};

pub(super) struct Desk {
    pub(super) case: Case,
    pub(super) parcels: Vec<fulfillments::View>,
    /// The customer's address book; empty for a guest.
    pub(super) book: Vec<addresses::View>,
    /// The entries of it that the store delivers to.
    pub(super) reached: Vec<AddressId>,
    /// The customer's saved ways to pay.
    pub(super) methods: Vec<payment_methods::View>,
    pub(super) payments: Vec<payments::View>,
    /// What carries the order to the new address, cheapest first; empty while there is none.
    pub(super) rates: Vec<Rate>,
    /// The flows that can be entered from here.
    pub(super) ways_on: Vec<NextAction>,
    /// What it comes to, once an address is known.
    pub(super) quote: Option<Result<Quote, Error>>,
}

/// How the order gets to another address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Nothing has shipped: the order itself changes.
    Order,
    /// The carrier redirects the parcels that travel.
    Redirect,
    /// Not at all, by this rule.
    Closed(&'static str),
}

/// What it comes to, by the shop's own rehearsal.
#[derive(Clone, Debug)]
pub(super) struct Quote {
    pub(super) after: Option<Box<orders::Requoted>>,
    pub(super) settlement: Settlement,
    pub(super) fee_minor: i64,
    pub(super) noted: Noted,
}

impl Desk {
    pub(super) async fn read(caller: &Caller, order: OrderId, given: &Map) -> Result<Self, Failure> {
        let mut desk = Self::look(caller, order).await?;
        let Some(address) = desk.address(given) else { return Ok(desk) };
        if desk.way() == Way::Order {
            desk.rates = desk.rates_to(caller, &address).await.unwrap_or_default();
        }
        desk.quote = Some(desk.rehearse(caller, &address, given).await);
        Ok(desk)
    }

    /// Everything but the new address.
    pub(super) async fn look(caller: &Caller, id: OrderId) -> Result<Self, Failure> {
        let ctx = caller.ctx();
        let case = after_sales::case(&ctx, id).await.map_err(failure)?;
        let doors = after_sales::eligibility(&ctx, id).await.map_err(failure)?;
        let filter = payments::Filter { order_id: Some(id), ..payments::Filter::default() };
        let payments = payments::list(&ctx, filter, whole_page()).await.map_err(failure)?.items;
        let (book, methods) = match case.order.customer_id {
            Some(customer) => (book::of(caller, customer).await?, wallet::of(caller, customer).await?),
            None => (Vec::new(), Vec::new()),
        };
        let mut desk = Self {
            parcels: parcels(caller, id).await?,
            ways_on: entities::ways_on(&case.order, &doors),
            reached: Vec::new(),
            rates: Vec::new(),
            quote: None,
            case,
            book,
            methods,
            payments,
        };
        desk.reached = desk.reached(caller).await;
        Ok(desk)
    }

    /// By the shop's own table. Whatever the world lets its callers get away with, this door keeps to it.
    pub(super) fn way(&self) -> Way {
        let judge = |op| verdict(op, &self.case.facts, &self.case.policy, RulesMode::Server);
        if judge(AfterSalesOperation::ChangeOrderDeliveryAddress).is_eligible() {
            return Way::Order;
        }
        if self.travelling().next().is_some() {
            return Way::Redirect;
        }
        match judge(AfterSalesOperation::RedirectShipment) {
            Verdict::No { rule } => Way::Closed(rule),
            Verdict::Yes | Verdict::Approval | Verdict::AlreadyDone => Way::Closed("parcel_not_moving"),
        }
    }

    /// The parcels that a carrier can still redirect.
    pub(super) fn travelling(&self) -> impl Iterator<Item = &fulfillments::View> {
        let travels = |status| matches!(status, FulfillmentStatus::Shipped | FulfillmentStatus::InTransit);
        self.parcels.iter().filter(move |parcel| travels(parcel.status))
    }

    /// Those of them that do not go there anyway.
    pub(super) fn to_redirect(&self, address: &Address) -> impl Iterator<Item = &fulfillments::View> {
        self.travelling().filter(move |parcel| parcel.destination != *address)
    }

    /// Why it cannot go anywhere else any more, with the doors that are open.
    pub(super) fn closed(&self) -> Option<Refusal> {
        let Way::Closed(rule) = self.way() else { return None };
        Some(Refusal::new(Reason::NotEligible, words_of(rule)).leading_to(self.other_doors()))
    }

    pub(super) fn other_doors(&self) -> Vec<NextAction> {
        let is_other = |next: &&NextAction| {
            let named = next.args.as_ref().and_then(|args| args.get("capability")).and_then(Value::as_str);
            named != Some(super::ABOUT.name)
        };
        self.ways_on.iter().filter(is_other).cloned().collect()
    }

    /// Where it goes now: the order, or the first parcel that travels.
    pub(super) fn goes_to(&self) -> &Address {
        match (self.way(), self.travelling().next()) {
            (Way::Redirect, Some(parcel)) => &parcel.destination,
            (Way::Order | Way::Redirect | Way::Closed(_), _) => &self.case.order.shipping_address,
        }
    }

    /// The new address, as far as it was said and can be understood.
    pub(super) fn address(&self, given: &Map) -> Option<Address> {
        match (text(given, ADDRESS_ID), given.get(ADDRESS)) {
            (Some(said), None) => self.entry(said).map(|entry| entry.address.clone()),
            (None, Some(Value::Object(said))) => book::laid_over(said, &self.goes_to().name, None),
            (_, _) => None,
        }
    }

    pub(super) fn entry(&self, said: &str) -> Option<&addresses::View> {
        book::the_one(&self.book, said)
    }

    /// The entry that the new address is kept as, if it is.
    pub(super) fn kept(&self, given: &Map) -> Option<addresses::Create> {
        let is_kept = given.get(SAVE).and_then(Value::as_bool).unwrap_or(false);
        given.get(ADDRESS).filter(|_| is_kept)?;
        let address = self.address(given)?;
        let label = text(given, LABEL).map_or_else(|| address.city.clone(), str::to_owned);
        Some(addresses::Create { label, address, is_default: false })
    }

    /// The deeds that send it there, each with the name that tells it from the others.
    pub(super) fn deeds(&self, address: &Address, given: &Map) -> Vec<(String, Deed)> {
        let order = self.case.order.id;
        match self.way() {
            Way::Order => {
                let input = orders::ChangeAddress {
                    address: address.clone(),
                    shipping_method_id: id(given, METHOD),
                    approval_id: None,
                };
                vec![(String::new(), Deed::ChangeAddress(order, input))]
            }
            Way::Redirect => {
                let redirect = |parcel: &fulfillments::View| {
                    let input = fulfillments::Redirect { address: address.clone(), approval_id: None };
                    (parcel.id.to_string(), Deed::Redirect(parcel.id, input))
                };
                self.to_redirect(address).map(redirect).collect()
            }
            Way::Closed(_) => Vec::new(),
        }
    }

    async fn rehearse(&self, caller: &Caller, address: &Address, given: &Map) -> Result<Quote, Error> {
        if let (Some(create), Some(customer)) = (self.kept(given), self.case.order.customer_id) {
            Deed::Profile(customer, Profile::SaveAddress(create)).rehearse(caller).await?;
        }
        let mut quote =
            Quote { after: None, settlement: Settlement::Nothing, fee_minor: 0, noted: Noted::default() };
        for (_, deed) in self.deeds(address, given) {
            let (fruit, noted) = deed.rehearse(caller).await?;
            quote.noted = Noted {
                approval: quote.noted.approval.or(noted.approval),
                risk: quote.noted.risk.or(noted.risk),
            };
            match fruit {
                Fruit::Requoted(after) => {
                    let (before, after_minor) = (after.before_minor, after.order.total_minor);
                    quote.settlement = Settlement::of(&self.payments, before, after_minor);
                    quote.after = Some(after);
                }
                Fruit::Redirected(done) => quote.fee_minor += done.fee_minor,
                Fruit::Order(_)
                | Fruit::Refunds(_)
                | Fruit::Return(_)
                | Fruit::Exchange(_)
                | Fruit::Parcel(_)
                | Fruit::Profile(_) => {}
            }
        }
        Ok(quote)
    }

    async fn reached(&self, caller: &Caller) -> Vec<AddressId> {
        let mut reached = Vec::new();
        for entry in &self.book {
            // An order without a method came from a shop that knows no zones: it goes anywhere.
            let is_reached = match self.case.order.shipping_method_id {
                None => true,
                Some(_) => self.rates_to(caller, &entry.address).await.is_ok_and(|rates| !rates.is_empty()),
            };
            if is_reached {
                reached.push(entry.id);
            }
        }
        reached
    }

    async fn rates_to(&self, caller: &Caller, address: &Address) -> Result<Vec<Rate>, Error> {
        let ctx = caller.ctx();
        let mut weight_g = 0;
        for line in &self.case.order.lines {
            // What is not sold any more still weighs something; the shop's own quote decides in the end.
            let unit = catalog::variant(&ctx, line.variant_id).await.map_or(0, |variant| variant.weight_g);
            weight_g += unit * line.quantity;
        }
        let quote = shipping::Quote {
            store_id: Some(self.case.order.store_id),
            address: address.clone(),
            items: None,
            weight_g: Some(weight_g.max(1)),
            subtotal_minor: Some(self.case.order.subtotal_minor),
        };
        Ok(shipping::rates(&ctx, quote).await?.rates)
    }
}

/// All parcels of an order, where they are by now, oldest first.
pub(super) async fn parcels(caller: &Caller, id: OrderId) -> Result<Vec<fulfillments::View>, Failure> {
    let ctx = caller.ctx();
    fulfillments::track_order(&ctx, id).await.map_err(failure)?;
    let filter = fulfillments::Filter { order_id: Some(id), ..fulfillments::Filter::default() };
    let mut parcels = fulfillments::list(&ctx, filter, whole_page()).await.map_err(failure)?.items;
    parcels.reverse();
    Ok(parcels)
}

/// A rule with its words.
pub(super) fn words_of(rule: &str) -> String {
    let words = match rule {
        "parcel_not_moving" => {
            "its parcel was reported lost, damaged or refused; say so and the right way is found"
        }
        rule => rule_text(rule).unwrap_or("it is not possible here"),
    };
    format!("{rule}: {words}")
}
