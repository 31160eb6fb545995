//! Experts on the 200 tools: each step is a call, and every id and version comes from an earlier reply.

mod address;
mod after_sales;
mod checkout;
mod find;
mod modify;

pub(crate) use checkout::open_payment;

use anyhow::{Context as _, anyhow};
use serde_json::{Map, Value};

use super::{Refusal, Session};
use crate::client::Reply;
use crate::intent::Intent;

/// One thing as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) body: Value,
}

impl Found {
    pub(crate) fn id(&self) -> anyhow::Result<&str> {
        text(&self.body, "id")
    }

    /// Its version, as `If-Match` wants it.
    pub(crate) fn version(&self) -> anyhow::Result<String> {
        let version = self.body["version"].as_i64().context("the reply has no version")?;
        Ok(format!("\"{version}\""))
    }
}

pub(crate) async fn perform(session: &mut Session<'_>, intent: &Intent) -> anyhow::Result<()> {
    match intent {
        Intent::Checkout(words) => checkout::checkout(session, words).await,
        Intent::TrackOrder(words) => after_sales::track(session, words).await,
        Intent::ReadOrder(words) => find::order(session, &words.order).await.map(|_| ()),
        Intent::CancelOrder(words) => after_sales::cancel(session, words).await,
        Intent::RefundUnshipped(words) => after_sales::refund_unshipped(session, words).await,
        Intent::LostParcelRefund(words) => after_sales::lost_refund(session, words).await,
        Intent::LostParcelReplacement(words) => after_sales::lost_replacement(session, words).await,
        Intent::RefundKeepItems(words) => after_sales::refund_keep(session, words).await,
        Intent::ReturnItems(words) => after_sales::request_return(session, words).await,
        Intent::RefundReturned(words) => after_sales::refund_returned(session, words).await,
        Intent::ExchangeItems(words) => after_sales::exchange(session, words).await,
        Intent::ModifyItems(words) => modify::swap_items(session, words).await,
        Intent::ChangePayment(words) => modify::replace_payment(session, words).await,
        Intent::RefundShippingFee(words) => after_sales::shipping_fee(session, words).await,
        Intent::RefundShippingDifference(words) => after_sales::shipping_difference(session, words).await,
        Intent::RefundMissedCoupon(words) => after_sales::missed_coupon(session, words).await,
        Intent::ChangeOrderAddress(words) => address::of_order(session, words).await,
        Intent::ChangeProfileAddress(words) => address::of_profile(session, words).await,
    }
}

impl Session<'_> {
    /// A read.
    pub(crate) async fn read(&mut self, tool: &str, arguments: Value) -> anyhow::Result<Found> {
        answered(self.client.call(tool, arguments).await?)
    }

    /// A write, under a fresh key.
    pub(crate) async fn write(&mut self, tool: &str, mut arguments: Value) -> anyhow::Result<Found> {
        arguments["idempotency_key"] = self.key().into();
        answered(self.client.call(tool, arguments).await?)
    }

    /// A write that is hard to undo or moves money: it names the version that was read.
    pub(crate) async fn write_at(
        &mut self,
        tool: &str,
        mut arguments: Value,
        at: &Found,
    ) -> anyhow::Result<Found> {
        arguments["if_match"] = at.version()?.into();
        self.write(tool, arguments).await
    }
}

/// A success, or the refusal that came instead.
pub(crate) fn answered(reply: Reply) -> anyhow::Result<Found> {
    let Reply { structured, is_error } = reply;
    if is_error {
        return Err(refusal(&structured).into());
    }
    Ok(Found { body: structured["body"].clone() })
}

/// A problem of the API is in the body; one of the door stands alone.
fn refusal(structured: &Value) -> Refusal {
    let problem = if structured["body"].is_object() { &structured["body"] } else { structured };
    let word = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    let (code, mut reason) = (word("code"), word("reason"));
    if reason.is_empty() {
        reason.clone_from(&code);
    }
    let fields = problem["fields"].as_array().filter(|fields| !fields.is_empty());
    let fields = fields.map(|fields| format!(" {}", Value::Array(fields.clone()))).unwrap_or_default();
    Refusal { code, reason, detail: format!("{}{fields}", word("detail")) }
}

/// A field that must be there.
pub(crate) fn text<'a>(value: &'a Value, name: &str) -> anyhow::Result<&'a str> {
    value[name].as_str().with_context(|| format!("there is no {name} in {value}"))
}

/// The entries of a list.
pub(crate) fn items(value: &Value) -> &[Value] {
    value["items"].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// The first that fits, or an error that says what was looked for.
pub(crate) fn pick<'a>(
    list: &'a [Value],
    what: &str,
    fits: impl Fn(&Value) -> bool,
) -> anyhow::Result<&'a Value> {
    list.iter().find(|value| fits(value)).ok_or_else(|| anyhow!("none of the {} is {what}", list.len()))
}

/// Arguments without those that are absent.
pub(crate) fn without_nulls(arguments: Value) -> Value {
    match arguments {
        Value::Object(fields) => {
            Value::Object(fields.into_iter().filter(|(_, value)| !value.is_null()).collect::<Map<_, _>>())
        }
        other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) => {
            other
        }
    }
}
