//! Whatever is asked in whatever order: the books add up, and the file alone gives them back.

use proptest::prelude::*;
use shop_gateway::wire::PaymentStatus;

use super::*;
use crate::truth::ChargeTruth;

/// One call; payments are chosen among those there are.
#[derive(Clone, Debug)]
enum Move {
    Hold { amount_minor: i64, instrument: &'static str },
    Capture { which: usize, amount_minor: i64 },
    Void { which: usize },
    Refund { which: usize, amount_minor: i64 },
    Contest { which: usize },
    Concede { which: usize },
    Fence { key: usize },
    Repeat { key: usize },
    Advance { hours: i64 },
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let amount = prop_oneof![1_i64..2_000, Just(9_000_003)];
    let instrument = prop_oneof![Just("tok_visa"), Just("tok_lost_card"), Just("tok_dispute_later")];
    let one = prop_oneof![
        4 => (amount.clone(), instrument).prop_map(|(amount_minor, instrument)| Move::Hold { amount_minor, instrument }),
        4 => (0..8_usize, amount.clone()).prop_map(|(which, amount_minor)| Move::Capture { which, amount_minor }),
        1 => (0..8_usize).prop_map(|which| Move::Void { which }),
        4 => (0..8_usize, amount).prop_map(|(which, amount_minor)| Move::Refund { which, amount_minor }),
        1 => (0..8_usize).prop_map(|which| Move::Contest { which }),
        1 => (0..8_usize).prop_map(|which| Move::Concede { which }),
        1 => (0..50_usize).prop_map(|key| Move::Fence { key }),
        2 => (0..50_usize).prop_map(|key| Move::Repeat { key }),
        1 => (1_i64..60).prop_map(|hours| Move::Advance { hours }),
    ];
    prop::collection::vec(one, 1..40)
}

/// Plays the moves and returns every keyed request with its answer.
fn play(account: &Account, moves: &[Move]) -> Vec<(String, Request, crate::reply::Reply)> {
    let mut said: Vec<(String, Request, crate::reply::Reply)> = Vec::new();
    for (index, step) in moves.iter().enumerate() {
        let charges = account.truth().unwrap().charges;
        let payment = |which: usize| {
            let chosen = charges.get(which % charges.len().max(1));
            chosen.map_or_else(|| "ch_none".to_owned(), |charge| charge.payment.clone())
        };
        let request = match step {
            Move::Hold { amount_minor, instrument } => {
                Request::Authorize(paying_with(instrument, *amount_minor))
            }
            Move::Capture { which, amount_minor } => {
                Request::Capture { payment: payment(*which), amount_minor: *amount_minor }
            }
            Move::Void { which } => Request::Void { payment: payment(*which) },
            Move::Refund { which, amount_minor } => Request::Refund(CreateRefund {
                payment: payment(*which),
                amount_minor: *amount_minor,
                reference: "rfd_1".into(),
            }),
            Move::Contest { which } => {
                Request::Contest { dispute: dispute(account, *which), text: "it was signed for".into() }
            }
            Move::Concede { which } => Request::Concede { dispute: dispute(account, *which) },
            Move::Fence { key } => {
                account.fence(&format!("key-{key}"));
                continue;
            }
            Move::Repeat { key } => {
                let known = said.iter().find(|(known, ..)| *known == format!("key-{key}"));
                if let Some((key, request, before)) = known {
                    assert_same_answer(&write(account, key, request), before);
                }
                continue;
            }
            Move::Advance { hours } => {
                account.world().clock.advance(chrono::TimeDelta::hours(*hours));
                account.tick().unwrap();
                continue;
            }
        };
        let key = format!("key-{index}");
        let reply = write(account, &key, &request);
        said.push((key, request, reply));
    }
    said
}

fn dispute(account: &Account, which: usize) -> String {
    let disputed = account.disputed(0, 100).unwrap().data;
    let chosen = disputed.get(which % disputed.len().max(1)).and_then(|payment| payment.dispute.as_ref());
    chosen.map_or_else(|| "dp_none".to_owned(), |dispute| dispute.id.clone())
}

/// The answer of before, unless the clock has moved beyond the replays.
fn assert_same_answer(again: &crate::reply::Reply, before: &crate::reply::Reply) {
    if again.status == 409 {
        return assert!(String::from_utf8_lossy(&again.body).contains("idempotency_key_expired"));
    }
    assert_eq!((again.status, &again.body), (before.status, &before.body));
    // A key that was fenced before its first use never had an answer to replay.
    assert!(again.is_replay || again.status == 410);
}

fn assert_adds_up(charge: &ChargeTruth) {
    assert!(0 <= charge.refunded_minor && charge.refunded_minor <= charge.captured_minor, "{charge:?}");
    assert!(charge.captured_minor <= charge.authorized_minor, "{charge:?}");
    assert!(charge.kept_minor() >= 0, "{charge:?}");
    match charge.status {
        PaymentStatus::Captured => assert!(charge.captured_minor > 0, "{charge:?}"),
        PaymentStatus::Authorized | PaymentStatus::Voided => {
            assert_eq!(charge.captured_minor, 0, "{charge:?}")
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_books_add_up_and_the_file_gives_them_back(moves in moves()) {
        let account = Account::open(World::for_tests(), LedgerFile::memory()).unwrap();
        let said = play(&account, &moves);
        let truth = account.truth().unwrap();
        truth.charges.iter().for_each(assert_adds_up);

        let bytes = account.snapshot().unwrap();
        let world = next_boot();
        world.clock.set(account.world().clock.now());
        let reopened = Account::open(world, LedgerFile::from_bytes(bytes.clone())).unwrap();
        assert_eq!(reopened.truth().unwrap(), truth);
        for (key, request, reply) in &said {
            assert_eq!(reopened.find_key(key), account.find_key(key));
            assert_same_answer(&write(&reopened, key, request), reply);
        }
        // Asking again for what is known wrote nothing.
        assert_eq!(reopened.snapshot().unwrap(), bytes);
    }
}
