//! Deeds: single writes of the service that flows preview, have signed off, carry out, look back at and undo.
//!
//! A deed is one operation with its whole input, so the same value is rehearsed before the person's yes and run after
//! it. `act.rs` carries out, `look.rs` looks back, `undo.rs` takes back.

mod act;
mod look;
mod profile;
mod undo;

use serde::Serialize;
use shop_domain::ids::{CustomerId, FulfillmentId, OrderId, ReturnId};
use shop_domain::operations::{Operation, operation};
use shop_service::{Ctx, Error, Noted, exchanges, fulfillments, orders, refunds, returns};

use crate::caller::Caller;
use crate::wire::{block, object};

pub(crate) use act::{Act, Acted, as_step};
pub(crate) use look::{GATEWAY, SHOP, left_behind, look, nothing};
pub(crate) use profile::{Kept, Profile};
pub(crate) use undo::{reverse, undo};

/// One write, exactly.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Cancel(OrderId, orders::Cancel),
    RefundUnshipped(OrderId, refunds::Unshipped),
    RefundKept(OrderId, refunds::WithoutReturn),
    RefundReturned(ReturnId, refunds::Returned),
    RefundShippingFee(OrderId, refunds::ShippingFee),
    RefundShippingDifference(OrderId, refunds::ShippingDifference),
    AdjustPrice(OrderId, refunds::PriceAdjustment),
    Return(OrderId, returns::Request),
    Inspect(ReturnId, returns::Inspect),
    Exchange(OrderId, exchanges::Request),
    Replace(OrderId, exchanges::Replace),
    ReportException(FulfillmentId, fulfillments::ReportException),
    ChangeAddress(OrderId, orders::ChangeAddress),
    Redirect(FulfillmentId, fulfillments::Redirect),
    Profile(CustomerId, Profile),
}

/// What a deed came to.
#[derive(Clone, Debug)]
pub(crate) enum Fruit {
    Order(Box<orders::View>),
    Requoted(Box<orders::Requoted>),
    Refunds(refunds::Batch),
    Return(Box<returns::View>),
    Exchange(Box<exchanges::View>),
    Parcel(Box<fulfillments::View>),
    Redirected(Box<fulfillments::Redirection>),
    Profile(Kept),
}

impl Deed {
    pub(crate) const fn operation(&self) -> &'static Operation {
        match self {
            Self::Cancel(..) => operation("cancel_order"),
            Self::RefundUnshipped(..) => operation("refund_unshipped_items"),
            Self::RefundKept(..) => operation("refund_without_return"),
            Self::RefundReturned(..) => operation("refund_returned_items"),
            Self::RefundShippingFee(..) => operation("refund_shipping_fee"),
            Self::RefundShippingDifference(..) => operation("refund_shipping_difference"),
            Self::AdjustPrice(..) => operation("refund_price_adjustment"),
            Self::Return(..) => operation("request_return"),
            Self::Inspect(..) => operation("inspect_return_items"),
            Self::Exchange(..) => operation("request_exchange"),
            Self::Replace(..) => operation("send_replacement"),
            Self::ReportException(..) => operation("report_delivery_exception"),
            Self::ChangeAddress(..) => operation("change_order_delivery_address"),
            Self::Redirect(..) => operation("redirect_shipment"),
            Self::Profile(_, deed) => deed.operation(),
        }
    }

    /// Whether it gives money back.
    pub(crate) const fn is_refund(&self) -> bool {
        match self {
            Self::RefundUnshipped(..)
            | Self::RefundKept(..)
            | Self::RefundReturned(..)
            | Self::RefundShippingFee(..)
            | Self::RefundShippingDifference(..)
            | Self::AdjustPrice(..) => true,
            Self::Cancel(..)
            | Self::Return(..)
            | Self::Inspect(..)
            | Self::Exchange(..)
            | Self::Replace(..)
            | Self::ReportException(..)
            | Self::ChangeAddress(..)
            | Self::Redirect(..)
            | Self::Profile(..) => false,
        }
    }

    /// The id in the operation's path.
    fn subject(&self) -> String {
        match self {
            Self::Cancel(id, _)
            | Self::RefundUnshipped(id, _)
            | Self::RefundKept(id, _)
            | Self::RefundShippingFee(id, _)
            | Self::RefundShippingDifference(id, _)
            | Self::AdjustPrice(id, _)
            | Self::Return(id, _)
            | Self::Exchange(id, _)
            | Self::Replace(id, _)
            | Self::ChangeAddress(id, _) => id.to_string(),
            Self::RefundReturned(id, _) | Self::Inspect(id, _) => id.to_string(),
            Self::ReportException(id, _) | Self::Redirect(id, _) => id.to_string(),
            Self::Profile(customer, deed) => deed.subject(*customer),
        }
    }

    /// The body, which an approval is bound to. What says nothing is left out: whoever decides reads the rest.
    fn input(&self) -> mcp_actions_engine::Map {
        fn body(input: &impl Serialize) -> mcp_actions_engine::Map {
            let mut body = object(block(input));
            body.retain(|_, value| !value.is_null());
            body
        }
        match self {
            Self::Cancel(_, input) => body(input),
            Self::RefundUnshipped(_, input) => body(input),
            Self::RefundKept(_, input) => body(input),
            Self::RefundReturned(_, input) => body(input),
            Self::RefundShippingFee(_, input) => body(input),
            Self::RefundShippingDifference(_, input) => body(input),
            Self::AdjustPrice(_, input) => body(input),
            Self::Return(_, input) => body(input),
            Self::Inspect(_, input) => body(input),
            Self::Exchange(_, input) => body(input),
            Self::Replace(_, input) => body(input),
            Self::ReportException(_, input) => body(input),
            Self::ChangeAddress(_, input) => body(input),
            Self::Redirect(_, input) => body(input),
            Self::Profile(_, deed) => deed.input(),
        }
    }

    /// The version of what it changes, as it is now.
    async fn version(&self, ctx: &Ctx) -> Result<i64, Error> {
        Ok(match self {
            Self::Cancel(id, _)
            | Self::RefundUnshipped(id, _)
            | Self::RefundKept(id, _)
            | Self::RefundShippingFee(id, _)
            | Self::RefundShippingDifference(id, _)
            | Self::AdjustPrice(id, _)
            | Self::Return(id, _)
            | Self::Exchange(id, _)
            | Self::Replace(id, _)
            | Self::ChangeAddress(id, _) => orders::get(ctx, *id).await?.version,
            Self::RefundReturned(id, _) | Self::Inspect(id, _) => returns::get(ctx, *id).await?.version,
            Self::ReportException(id, _) | Self::Redirect(id, _) => {
                fulfillments::get(ctx, *id).await?.version
            }
            Self::Profile(customer, deed) => deed.version(ctx, *customer).await?,
        })
    }

    async fn run(&self, ctx: &Ctx) -> Result<Fruit, Error> {
        Ok(match self.clone() {
            Self::Cancel(id, input) => Fruit::Order(Box::new(orders::cancel(ctx, id, input).await?.view)),
            Self::RefundUnshipped(id, input) => {
                Fruit::Refunds(refunds::unshipped(ctx, id, input).await?.view)
            }
            Self::RefundKept(id, input) => {
                Fruit::Refunds(refunds::without_return(ctx, id, input).await?.view)
            }
            Self::RefundReturned(id, input) => Fruit::Refunds(refunds::returned(ctx, id, input).await?.view),
            Self::RefundShippingFee(id, input) => {
                Fruit::Refunds(refunds::shipping_fee(ctx, id, input).await?.view)
            }
            Self::RefundShippingDifference(id, input) => {
                Fruit::Refunds(refunds::shipping_difference(ctx, id, input).await?.view)
            }
            Self::AdjustPrice(id, input) => {
                Fruit::Refunds(refunds::price_adjustment(ctx, id, input).await?.view)
            }
            Self::Return(id, input) => Fruit::Return(Box::new(returns::request(ctx, id, input).await?.view)),
            Self::Inspect(id, input) => Fruit::Return(Box::new(returns::inspect(ctx, id, input).await?.view)),
            Self::Exchange(id, input) => {
                Fruit::Exchange(Box::new(exchanges::request(ctx, id, input).await?.view))
            }
            Self::Replace(id, input) => {
                Fruit::Parcel(Box::new(exchanges::send_replacement(ctx, id, input).await?.view))
            }
            Self::ReportException(id, input) => {
                Fruit::Parcel(Box::new(fulfillments::report_exception(ctx, id, input).await?.view))
            }
            Self::ChangeAddress(id, input) => {
                Fruit::Requoted(Box::new(orders::change_address(ctx, id, input).await?.view))
            }
            Self::Redirect(id, input) => {
                Fruit::Redirected(Box::new(fulfillments::redirect(ctx, id, input).await?.view))
            }
            Self::Profile(customer, deed) => Fruit::Profile(deed.run(ctx, customer).await?),
        })
    }

    /// What it would come to now, with what the desk would hear about risk and approvals. Changes nothing.
    ///
    /// # Errors
    /// The service's own refusal.
    pub(crate) async fn rehearse(&self, caller: &Caller) -> Result<(Fruit, Noted), Error> {
        let ctx = caller.ctx().rehearsing();
        let fruit = self.run(&ctx).await?;
        Ok((fruit, ctx.noted()))
    }
}
