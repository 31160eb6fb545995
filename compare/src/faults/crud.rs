//! Clients of the 200 tools: the same chain, and four ways to go on when a money call has no answer.

use anyhow::bail;
use serde_json::{Value, json};

use super::{Policy, TRIES_MAX};
use crate::expert::crud::{Found, answered, open_payment};
use crate::expert::{Session, refusal};
use crate::intent::Checkout;

/// Buys what is wanted and ends when the client believes that it is paid.
pub(super) async fn buy(session: &mut Session<'_>, words: &Checkout, policy: Policy) -> anyhow::Result<()> {
    let mut starts = 0;
    loop {
        starts += 1;
        let payment = open_payment(session, words).await?;
        match pay(session, payment, policy).await {
            // The whole job again: another cart, another order, another payment.
            Err(error) if policy == Policy::StartOver && starts < TRIES_MAX && refusal(&error).is_some() => {}
            ended => return ended,
        }
    }
}

async fn pay(session: &mut Session<'_>, payment: Found, policy: Policy) -> anyhow::Result<()> {
    let held = step(session, "authorize_payment", payment, policy).await?;
    let taken = if held.body["status"] == "captured" {
        held
    } else {
        step(session, "capture_payment", held, policy).await?
    };
    if taken.body["status"] != "captured" {
        bail!("the payment is {}", taken.body["status"]);
    }
    Ok(())
}

/// One call that moves money, and what follows when it is not answered.
async fn step(
    session: &mut Session<'_>,
    tool: &str,
    payment: Found,
    policy: Policy,
) -> anyhow::Result<Found> {
    let id = payment.id()?.to_owned();
    let mut arguments =
        json!({ "payment_id": id, "if_match": payment.version()?, "idempotency_key": session.key() });
    let mut tries = 0;
    loop {
        tries += 1;
        let error = match answered(session.client.call(tool, arguments.clone()).await?) {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        let is_over =
            tries == TRIES_MAX || refusal(&error).is_none_or(|refusal| refusal.reason == "payment_declined");
        match policy {
            _ if is_over => return Err(error),
            Policy::StartOver => return Err(error),
            Policy::SameKey => {}
            Policy::NewKey => {
                // `If-Match` makes even this client read the payment again; it looks at the version and nothing else.
                let fresh = session.read("get_payment", json!({ "payment_id": id })).await?;
                arguments["if_match"] = fresh.version()?.into();
                arguments["idempotency_key"] = session.key().into();
            }
            Policy::ByTheBook => {
                let seen = session.write("sync_payment_status", json!({ "payment_id": id })).await?;
                if is_done(tool, &seen.body) {
                    return Ok(seen);
                }
                arguments["if_match"] = seen.version()?.into();
                arguments["idempotency_key"] = session.key().into();
            }
        }
    }
}

/// Whether the gateway did it after all.
fn is_done(tool: &str, payment: &Value) -> bool {
    let status = payment["status"].as_str().unwrap_or_default();
    match tool {
        "authorize_payment" => matches!(status, "authorized" | "captured"),
        _ => status == "captured",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hold_is_enough_for_authorising_and_not_for_capturing() {
        let held = json!({ "status": "authorized" });
        assert!(is_done("authorize_payment", &held));
        assert!(!is_done("capture_payment", &held));
        assert!(is_done("capture_payment", &json!({ "status": "captured" })));
        assert!(!is_done("authorize_payment", &json!({ "status": "failed" })));
    }
}
