//! Every fault, on every operation, before and after: what the caller hears, and what the ledger says.

use shop_gateway::wire::{KeyResult, Operation};
use shop_world::{FaultRule, Placement};

use super::*;
use crate::exchange::{Ask, Delivery, Exchange};
use crate::faults::{self, Fault};

/// What a caller makes of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Heard {
    Done,
    Refused,
    Busy,
    Unknown,
}

impl Heard {
    fn from<T>(outcome: &Outcome<T>) -> Self {
        match outcome {
            Outcome::Done(_) => Self::Done,
            Outcome::Refused(_) => Self::Refused,
            Outcome::Busy { .. } => Self::Busy,
            Outcome::Unknown => Self::Unknown,
        }
    }
}

/// What a fault does to a write of 100: what the caller hears, and the amounts that really moved.
fn expected(fault: &Fault, operation: Operation, placement: Placement) -> (Heard, &'static [i64]) {
    let if_after: &[i64] = if placement == Placement::After { &[100] } else { &[] };
    match fault.name {
        "decline" => (Heard::Refused, if_after),
        "lost_answer" | "http_500" | "http_502" | "http_503" | "http_504" => (Heard::Unknown, if_after),
        "timeout_before" | "late_success" => (Heard::Unknown, &[]),
        "timeout_after" | "wrong_content_type" | "truncated_json" | "schema_drift" | "cut_body" => {
            (Heard::Unknown, &[100])
        }
        "slow" => (Heard::Done, &[100]),
        "silent_failure" => (Heard::Done, &[]),
        "duplicate_effect" => (Heard::Done, &[100, 100]),
        "wrong_amount" => (Heard::Done, &[1_000]),
        "partial_capture" => (Heard::Done, &[50]),
        "refund_fails_later" => (Heard::Done, &[100]),
        "http_429" => (Heard::Busy, &[]),
        unknown => panic!("say here what {unknown} does to {}", operation.name()),
    }
}

fn amount(line: &Line) -> i64 {
    match &line.effect {
        Effect::Authorized { amount_minor, .. }
        | Effect::Captured { amount_minor, .. }
        | Effect::Voided { amount_minor, .. }
        | Effect::Refunded { amount_minor, .. }
        | Effect::DisputeClosed { amount_minor, .. } => *amount_minor,
        other @ (Effect::RefundSettled { .. }
        | Effect::Disputed { .. }
        | Effect::Contested { .. }
        | Effect::Refused(_)
        | Effect::Fenced) => {
            panic!("{other:?}")
        }
    }
}

/// One write of 100 under the key `hit`, on a payment that allows ten times as much.
async fn strike(gateway: &Gateway, fault: &Fault, operation: Operation, placement: Placement) -> Heard {
    let hold = if operation == Operation::Void { 100 } else { 1_000 };
    let instrument = if operation == Operation::Dispute { "tok_dispute_later" } else { "tok_visa" };
    let payment = done(gateway.client.authorize("hold", &paying_with(instrument, hold)).await);
    let mut dispute = String::new();
    if operation == Operation::Dispute {
        done(gateway.client.capture("capture", &payment.id, 100).await);
        gateway.account.world().clock.advance(crate::limits::DISPUTE_AFTER);
        dispute = found(gateway.client.lookup(&payment.id).await).dispute.unwrap().id;
    }
    if operation == Operation::Refund {
        done(gateway.client.capture("capture", &payment.id, 1_000).await);
    }
    let rule = FaultRule {
        fault: fault.name.to_owned(),
        operation: Some(operation.name().to_owned()),
        key: Some("hit".to_owned()),
        placement: Some(placement),
        skip: 0,
        times: Some(1),
    };
    faults::check(&rule).unwrap();
    gateway.account.world().faults.put(vec![rule]);
    let hangs = matches!(fault.name, "timeout_before" | "timeout_after" | "late_success");
    let client = if hangs { &gateway.hasty } else { &gateway.client };
    match operation {
        Operation::Authorize => Heard::from(&client.authorize("hit", &visa(100)).await),
        Operation::Capture => Heard::from(&client.capture("hit", &payment.id, 100).await),
        Operation::Void => Heard::from(&client.void("hit", &payment.id).await),
        Operation::Refund => Heard::from(&client.refund("hit", &refund_of(&payment, 100)).await),
        Operation::Dispute => Heard::from(&client.concede("hit", &dispute).await),
        Operation::Lookup | Operation::Fence | Operation::Webhook => {
            panic!("{} writes nothing", operation.name())
        }
    }
}

#[tokio::test]
async fn every_fault_on_every_write_before_and_after() {
    for fault in faults::ALL {
        let writes = [
            Operation::Authorize,
            Operation::Capture,
            Operation::Void,
            Operation::Refund,
            Operation::Dispute,
        ];
        for operation in writes.into_iter().filter(|operation| fault.is_for(*operation)) {
            for &placement in fault.placements {
                let case = format!("{}@{}:{placement:?}", fault.name, operation.name());
                let gateway = Gateway::start();
                let heard = strike(&gateway, fault, operation, placement).await;
                let (should_hear, should_move) = expected(fault, operation, placement);
                let moved: Vec<i64> = effects(&gateway.account)
                    .iter()
                    .filter(|line| line.key.as_deref().is_none_or(|key| key == "hit"))
                    .filter(|line| !matches!(line.effect, Effect::Disputed { .. }))
                    .map(amount)
                    .collect();
                assert_eq!((heard, moved.as_slice()), (should_hear, should_move), "{case}");
                assert_eq!(gateway.account.world().faults.list()[0].1, 1, "{case}");
                assert_by_the_book_ends_well(&gateway, !moved.is_empty(), &case).await;
            }
        }
    }
}

/// After the fault, look-up and fence tell the truth about the key, and the file alone gives it back.
async fn assert_by_the_book_ends_well(gateway: &Gateway, has_moved: bool, case: &str) {
    let looked_up = gateway.client.lookup_key("hit").await;
    let is_found = matches!(&looked_up, Lookup::Found(record) if record.amount_minor.is_some());
    assert_eq!(is_found, has_moved, "{case}: {looked_up:?}");
    let record = done(gateway.client.fence("hit").await);
    assert_eq!(matches!(record.result, KeyResult::Payment(_) | KeyResult::Refund(_)), has_moved, "{case}");
    let bytes = gateway.account.snapshot().unwrap();
    let reopened = Account::open(next_boot(), LedgerFile::from_bytes(bytes)).unwrap();
    assert_eq!(reopened.truth().unwrap(), gateway.account.truth().unwrap(), "{case}");
}

#[tokio::test]
async fn a_broken_look_up_or_fence_never_says_what_is_not_so() {
    for fault in faults::ALL {
        for &placement in fault.placements {
            let case = format!("{}:{placement:?}", fault.name);
            let gateway = Gateway::start();
            let held = gateway.hold("k", 100).await;
            if fault.is_for(Operation::Lookup) {
                gateway.account.world().faults.put(vec![FaultRule {
                    placement: Some(placement),
                    ..format!("{}@lookup*1", fault.name).parse().unwrap()
                }]);
                match gateway.hasty.lookup_key("k").await {
                    Lookup::Found(record) => {
                        assert_eq!(record.result, KeyResult::Payment(held.clone()), "{case}")
                    }
                    // A stale replica is the one liar, and the fence below sees through it.
                    Lookup::NotFound => assert_eq!(fault.name, "stale_read"),
                    Lookup::Unavailable => {}
                }
            }
            if fault.is_for(Operation::Fence) {
                gateway.script(&[&format!("{}@fence*1", fault.name)]);
                match gateway.hasty.fence("k").await {
                    Outcome::Done(record) => {
                        assert_eq!(record.result, KeyResult::Payment(held.clone()), "{case}")
                    }
                    Outcome::Busy { .. } | Outcome::Unknown => {}
                    Outcome::Refused(decline) => panic!("{case}: {decline:?}"),
                }
            }
            assert_eq!(done(gateway.client.fence("k").await).result, KeyResult::Payment(held), "{case}");
            assert_eq!(effects(&gateway.account).len(), 1, "{case}");
        }
    }
}

#[tokio::test]
async fn a_refund_that_fails_later_gives_the_money_back_to_the_merchant() {
    let gateway = Gateway::start();
    let paid = gateway.take("c", 100).await;
    gateway.script(&["refund_fails_later*1"]);
    let refund = done(gateway.client.refund("r", &refund_of(&paid, 100)).await);
    assert_eq!(gateway.account.truth().unwrap().kept_minor("pay_1"), 0);
    gateway.account.world().clock.advance(chrono::TimeDelta::days(1));
    let record = found(gateway.client.lookup_key("r").await);
    assert!(matches!(record.result, KeyResult::Refund(now) if now.id == refund.id && now.failure.is_some()));
    assert_eq!(gateway.account.truth().unwrap().kept_minor("pay_1"), 100);
}

/// A call of each kind, good and bad, and one that repeats.
fn asks(account: &Account) -> Vec<Ask> {
    let payment = || account.truth().unwrap().charges.first().map_or_else(String::new, |c| c.payment.clone());
    let write = |key: &str, request| Ask::Write { key: key.to_owned(), request };
    vec![
        write("a", Request::Authorize(visa(100))),
        write("a", Request::Authorize(visa(100))),
        write("a", Request::Authorize(visa(101))),
        write("b", Request::Authorize(paying_with("tok_lost_card", 100))),
        write("c", Request::Capture { payment: payment(), amount_minor: 60 }),
        write(
            "r",
            Request::Refund(CreateRefund { payment: payment(), amount_minor: 60, reference: "r".into() }),
        ),
        write("v", Request::Void { payment: payment() }),
        Ask::Fence { key: "f".into() },
        Ask::FindKey { key: "a".into() },
        Ask::FindPayment { id: payment() },
        Ask::FindRefund { id: "re_none".into() },
    ]
}

fn without_fault_layer(account: &Account, ask: &Ask) -> crate::reply::Reply {
    match ask {
        Ask::Write { key, request } => write(account, key, request),
        Ask::Fence { key } => account.fence(key),
        Ask::FindKey { key } => account.find_key(key),
        Ask::FindPayment { id } => account.find_payment(id),
        Ask::FindRefund { id } => account.find_refund(id),
    }
}

#[test]
fn a_script_that_hits_nothing_is_as_if_there_were_no_faults() {
    let open = || Account::open(World::for_tests(), LedgerFile::memory()).unwrap();
    let plain = open();
    let (empty, elsewhere) = (open(), open());
    // Rules of other layers, for other keys, or used up.
    elsewhere.world().faults.put(vec![
        "slow_tool".parse().unwrap(),
        "webhook_drop".parse().unwrap(),
        "http_500*0".parse().unwrap(),
        FaultRule { key: Some("other".into()), ..FaultRule::clone(&"lost_answer".parse().unwrap()) },
    ]);
    // Twice, so that the second round knows the payment of the first.
    for index in (0..asks(&plain).len()).chain(0..asks(&plain).len()) {
        let ask = asks(&plain).swap_remove(index);
        let reply = Delivery::Reply(without_fault_layer(&plain, &ask));
        for account in [&empty, &elsewhere] {
            assert_eq!(Exchange::new(account.clone(), ask.clone(), None).run(), reply, "{ask:?}");
        }
    }
    assert!(plain.ledger_entries().unwrap().len() > 5);
    assert_eq!(empty.snapshot().unwrap(), plain.snapshot().unwrap());
    assert_eq!(elsewhere.snapshot().unwrap(), plain.snapshot().unwrap());
    assert!(elsewhere.world().faults.list().iter().all(|(_, hits)| *hits == 0));
}

#[test]
fn a_bad_rule_says_what_would_do() {
    for (rule, says) in [
        ("explode", "lost_answer"),
        ("explode", "insufficient_funds"),
        ("partial_capture@refund", "capture"),
        ("timeout_before@capture:after", "Before"),
    ] {
        let error = faults::check(&rule.parse().unwrap()).unwrap_err();
        assert!(error.contains(says), "{rule}: {error}");
    }
    assert_eq!(faults::check(&"lost_card@authorize".parse().unwrap()).unwrap().fault.name, "decline");
    let names: std::collections::HashSet<_> = faults::ALL.iter().map(|fault| fault.name).collect();
    assert_eq!(names.len(), faults::ALL.len());
    assert!(faults::ALL.iter().all(|fault| fault.placements.contains(&fault.default_placement)));
}

/// The README's tables are these rows; a new fault or instrument brings its own.
#[test]
fn the_readme_lists_every_fault_and_instrument() {
    let readme = include_str!("../../README.md");
    for fault in faults::ALL {
        let operations: Vec<_> = fault.operations.iter().map(|operation| operation.name()).collect();
        let placements: Vec<_> =
            fault.placements.iter().map(|placement| format!("{placement:?}").to_lowercase()).collect();
        let row = format!(
            "| `{}` | {} | {} | {} | {} |",
            fault.name,
            fault.summary,
            operations.join(", "),
            placements.join(", "),
            fault.teaches
        );
        assert!(readme.contains(&row), "add to README.md:\n{row}");
    }
    for instrument in crate::instruments::INSTRUMENTS {
        let row = format!(
            "| `{}` | {} | {} |",
            instrument.token,
            instrument.numbers.join(", "),
            instrument.summary
        );
        assert!(readme.contains(&row), "add to README.md:\n{row}");
    }
    for magic in crate::instruments::MAGIC_REFUNDS {
        let row = format!("| {} | {} |", magic.amount_minor, magic.summary);
        assert!(readme.contains(&row), "add to README.md:\n{row}");
    }
}
