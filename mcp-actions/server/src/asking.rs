//! Confirming, and asking the person on the way when nobody has.
//!
//! The engine is asked first: a stored answer, a call that is not offered and a stale version need no question. Only
//! `consent_required` does, and it has changed nothing, so a call that comes again with the answer starts from the
//! top.

use mcp_actions_engine::consent::ConsentView;
use mcp_actions_engine::parts::Map;
use mcp_actions_engine::{Caller, ConfirmCall, ConsentLevel, ConsentStatus, Engine, Failure, Reason, View};
use mcp_host::{Answer, Asked, Call, Choice, Question, Reply};
use serde_json::{Value, json};

use crate::answer;

const BY_FORM: &str = "consent";
const BY_PAGE: &str = "consent_page";
/// The one field of the form.
const YES: &str = "approve";
/// Currencies whose amounts have no digits behind the point.
const WHOLE: &[&str] = &["JPY", "KRW"];
/// What things are called by.
const NAMES: &[&str] = &["title", "name", "label"];
/// The last words of names of amounts. Another integer, such as a quantity, is shown as it is.
const MONEY: &[&str] = &[
    "amount",
    "balance",
    "charge",
    "credit",
    "difference",
    "discount",
    "due",
    "fee",
    "minor",
    "price",
    "refund",
    "shipping",
    "subtotal",
    "tax",
    "total",
];
/// Lines of a question; a summary that has more is read on its page.
const LINES_MAX: usize = 40;

pub(crate) async fn confirm<C: Caller>(
    engine: &Engine<C>,
    caller: &C,
    call: &Call,
    confirm: ConfirmCall,
) -> Reply {
    let view = engine.confirm(caller, confirm.clone()).await;
    let Some(consent) = open_question(&view) else { return answer::view(&view) };
    let question = match (consent.level, &consent.url) {
        (ConsentLevel::Client, _) => form(&view, consent),
        (ConsentLevel::Human, Some(url)) => Some(page(&view, consent, url)),
        (ConsentLevel::Human | ConsentLevel::Agent, _) => None,
    };
    let Some(question) = question else { return answer::view(&view) };
    let answer = match call.ask.ask(question).await {
        Asked::Answered(answer) => answer,
        Asked::Later(waiting) => return Reply::Ask(waiting),
        Asked::Unavailable => return answer::view(&view),
    };
    match consent.level {
        ConsentLevel::Client => answered(engine, caller, confirm, view, &answer).await,
        // The page may have been answered by now; whether it was is the engine's to know.
        ConsentLevel::Human | ConsentLevel::Agent => match answer.choice {
            Choice::Accept => answer::view(&engine.confirm(caller, confirm).await),
            Choice::Decline | Choice::Cancel => answer::view(&view),
        },
    }
}

/// Hands the person's answer over, bound to the summary they were shown, and confirms again.
async fn answered<C: Caller>(
    engine: &Engine<C>,
    caller: &C,
    confirm: ConfirmCall,
    view: View,
    answer: &Answer,
) -> Reply {
    let yes = match answer.choice {
        Choice::Accept => answer.content.get(YES) == Some(&Value::Bool(true)),
        Choice::Decline => false,
        // Nothing was said: the question stays open.
        Choice::Cancel => return answer::view(&view),
    };
    let shown = answer.about.get("digest").and_then(Value::as_str).unwrap_or_default();
    match engine.answer_consent(caller, &confirm.action_id, shown, yes).await {
        Ok(_) => answer::view(&engine.confirm(caller, confirm).await),
        Err(failure) => answer::view(&told(engine.get(caller, &confirm.action_id).await, failure, &confirm)),
    }
}

/// The action as it stands now, with what became of the answer.
fn told(view: View, failure: Failure, confirm: &ConfirmCall) -> View {
    View {
        outcome: failure.reason.outcome(),
        reason: Some(failure.reason),
        message: Some(failure.message),
        retry_after_ms: failure.retry_after_ms,
        patch_schema: view.patch_schema.filter(|_| confirm.include_schema),
        ..view
    }
}

fn open_question(view: &View) -> Option<&ConsentView> {
    let is_open = view.reason == Some(Reason::ConsentRequired);
    view.consent.as_ref().filter(|consent| is_open && consent.status == ConsentStatus::Pending)
}

fn form(view: &View, consent: &ConsentView) -> Option<Question> {
    let schema = json!({
        "type": "object",
        "properties": { YES: { "type": "boolean", "title": "Yes, do exactly this" } },
        "required": [YES],
    });
    match Question::form(BY_FORM, &message(view), schema) {
        Ok(question) => Some(question.about(json!({ "digest": consent.digest }))),
        Err(error) => {
            tracing::error!(%error, "the consent question cannot be asked");
            None
        }
    }
}

fn page(view: &View, consent: &ConsentView, url: &str) -> Question {
    Question::url(BY_PAGE, &message(view), url, &consent.digest)
}

/// What the person reads: exactly what the summary says, line by line.
fn message(view: &View) -> String {
    let title = view.capability.as_deref().unwrap_or("this").replace('_', " ");
    let mut message = format!("Do you agree to this: {title}?");
    for line in view.summary.as_ref().map(lines).unwrap_or_default() {
        message.push('\n');
        message.push_str(&line);
    }
    message
}

fn lines(summary: &Map) -> Vec<String> {
    let currency = summary.get("currency").and_then(Value::as_str);
    let shown = summary.iter().filter(|(name, value)| !value.is_null() && *name != "currency");
    let line = |(name, value): (&String, &Value)| {
        let label = name.trim_end_matches("_minor").replace('_', " ");
        format!("{label}: {}", text(name, value, currency))
    };
    shown.map(line).take(LINES_MAX).collect()
}

fn text(name: &str, value: &Value, currency: Option<&str>) -> String {
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(words) => words.clone(),
        Value::Number(number) => match (number.as_i64(), currency) {
            (Some(minor), Some(currency)) if is_money(name) => money(minor, currency),
            (Some(_) | None, _) => number.to_string(),
        },
        Value::Array(list) => {
            list.iter().map(|entry| text(name, entry, currency)).collect::<Vec<_>>().join("; ")
        }
        Value::Object(object) => described(object, currency),
    }
}

/// An entry of a list: what it is called first, then the rest.
fn described(object: &Map, currency: Option<&str>) -> String {
    let currency = object.get("currency").and_then(Value::as_str).or(currency);
    let called = NAMES.iter().copied().find(|&name| object.get(name).is_some_and(Value::is_string));
    let part = |(name, value): (&String, &Value)| {
        format!("{} {}", name.trim_end_matches("_minor").replace('_', " "), text(name, value, currency))
    };
    let shown = object.iter().filter(|(name, value)| {
        let is_said = Some(name.as_str()) == called || (called.is_some() && *name == "id");
        !value.is_null() && *name != "currency" && !is_said
    });
    let called = called.and_then(|name| object.get(name)?.as_str()).map(str::to_owned);
    called.into_iter().chain(shown.map(part)).collect::<Vec<_>>().join(", ")
}

fn is_money(name: &str) -> bool {
    name.rsplit('_').next().is_some_and(|last| MONEY.contains(&last))
}

/// Minor units as a person writes them.
fn money(minor: i64, currency: &str) -> String {
    if WHOLE.contains(&currency) {
        return format!("{minor} {currency}");
    }
    let sign = if minor < 0 { "-" } else { "" };
    let amount = minor.unsigned_abs();
    format!("{sign}{}.{:02} {currency}", amount / 100, amount % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_reads_like_a_receipt() {
        let summary = json!({
            "amount": 129_900, "currency": "EUR", "coupon": null, "gift_wrap": true,
            "items": [{ "id": "lin_1", "title": "Mug", "quantity": 2 }],
            "shipping": { "label": "Express", "price_minor": 490 },
            "refund_amount": -5,
        });
        let Value::Object(summary) = summary else { panic!("an object") };
        let expected = [
            "amount: 1299.00 EUR",
            "gift wrap: yes",
            "items: Mug, quantity 2",
            "shipping: Express, price 4.90 EUR",
            "refund amount: -0.05 EUR",
        ];
        assert_eq!(lines(&summary), expected);
        assert_eq!(money(1_500, "JPY"), "1500 JPY");
    }
}
