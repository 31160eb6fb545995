//! An effect is in the file before anybody hears of it, and what is in the file is all there is.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use shop_gateway::wire::ledger;

use super::*;
use crate::ledger_file::{LedgerError, Store};
use crate::{AccountError, refusals};

#[tokio::test]
async fn what_was_answered_survives_a_crash_and_a_torn_line_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.jsonl");
    let gateway = Gateway::with(LedgerFile::at(&path).unwrap());
    let held = gateway.hold("a", 1_000).await;
    // At this moment the answer is known, so the line is on disk, whole.
    assert!(fs::read_to_string(&path).unwrap().ends_with("}\n"));
    let taken = done(gateway.client.capture("b", &held.id, 900).await);
    gateway.script(&["lost_answer@refund:after*1"]);
    assert_eq!(gateway.client.refund("c", &refund_of(&held, 200)).await, Outcome::Unknown);
    let truth = gateway.account.truth().unwrap();
    let whole = fs::read(&path).unwrap();
    assert_eq!(whole, gateway.account.snapshot().unwrap());

    // The process dies in the middle of the next line. (The copy stands for the disk after the crash.)
    let crashed = folder.path().join("crashed.jsonl");
    fs::write(&crashed, &whole).unwrap();
    let torn = &whole[..whole.len() / 5];
    OpenOptions::new().append(true).open(&crashed).unwrap().write_all(&torn[..30]).unwrap();

    let account = Account::open(next_boot(), LedgerFile::at(&crashed).unwrap()).unwrap();
    assert_eq!(fs::read(&crashed).unwrap(), whole);
    assert_eq!(account.truth().unwrap(), truth);
    let capture = Request::Capture { payment: held.id.clone(), amount_minor: 900 };
    let again = write(&account, "b", &capture);
    assert!(again.is_replay);
    assert_eq!(parse::<Payment>(&again), taken);
    let refund: Refund = parse(&write(&account, "c", &Request::Refund(refund_of(&held, 200))));
    assert_eq!(refund.amount_minor, 200);

    // Life goes on in the same file, with ids that were never used.
    let new: Payment = parse(&write(&account, "d", &Request::Authorize(visa(5))));
    assert_ne!(new.id, held.id);
    drop(account);
    let account = Account::open(next_boot(), LedgerFile::at(&crashed).unwrap()).unwrap();
    assert_eq!(account.ledger_entries().unwrap().len(), 4);
}

#[test]
fn restore_brings_the_books_back_or_leaves_them_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.jsonl");
    let account = Account::open(World::for_tests(), LedgerFile::at(&path).unwrap()).unwrap();
    let held: Payment = parse(&write(&account, "a", &Request::Authorize(visa(100))));
    let snapshot = account.snapshot().unwrap();
    let capture = Request::Capture { payment: held.id.clone(), amount_minor: 100 };
    assert_eq!(write(&account, "b", &capture).status, 200);

    let later = account.snapshot().unwrap();
    let mut second_effect = snapshot.clone();
    second_effect.extend_from_slice(&snapshot);
    for (bad, why) in [
        (&snapshot[..snapshot.len() - 1], "torn"),
        (b"{}\n".as_slice(), "no entry"),
        (&second_effect, "numbers and keys come twice"),
        (&later[snapshot.len()..], "a capture without its hold"),
    ] {
        assert!(account.restore(bad).is_err(), "{why}");
        assert_eq!(account.snapshot().unwrap(), later, "{why}");
    }

    account.restore(&snapshot).unwrap();
    assert_eq!(fs::read(&path).unwrap(), snapshot);
    assert_eq!(account.truth().unwrap().charges[0].captured_minor, 0);
    assert_eq!(account.find_key("b").status, 404);
    // The same id stream goes on, and never gives an id that the books know.
    let next: Payment = parse(&write(&account, "c", &Request::Authorize(visa(100))));
    assert_ne!(next.id, held.id);
    assert_eq!(write(&account, "b", &capture).status, 200);
    drop(account);
    let account = Account::open(next_boot(), LedgerFile::at(&path).unwrap()).unwrap();
    assert_eq!(account.ledger_entries().unwrap().len(), 3);
}

#[test]
fn a_file_that_does_not_add_up_is_refused() {
    let line = |seq, effect| ledger::Line { seq, at: TEST_EPOCH, key: None, request: None, effect };
    let captured = Effect::Captured { payment: "ch_1".into(), amount_minor: 1 };
    for lines in [vec![line(2, Effect::Fenced)], vec![line(1, captured)]] {
        let bytes: Vec<u8> = lines.iter().flat_map(|line| ledger::encode(line).unwrap()).collect();
        let opened = Account::open(World::for_tests(), LedgerFile::from_bytes(bytes));
        assert!(matches!(opened, Err(AccountError::Ledger(LedgerError::Inconsistent { .. }))));
    }
}

/// A disk that can be told to fail, and to wait for a nod before a write is durable.
struct Disk {
    bytes: Arc<Mutex<Vec<u8>>>,
    faults: Arc<Mutex<Vec<&'static str>>>,
    gate: Option<(Sender<()>, Receiver<()>)>,
}

impl Disk {
    fn meets(&self, what: &str) -> bool {
        let mut faults = self.faults.lock().unwrap();
        let index = faults.iter().position(|fault| *fault == what);
        index.map(|index| faults.remove(index)).is_some()
    }
}

impl Store for Disk {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes.lock().unwrap().clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.meets("full") {
            self.bytes.lock().unwrap().extend_from_slice(&bytes[..bytes.len() / 2]);
            return Err(io::ErrorKind::StorageFull.into());
        }
        if let Some((reached, nod)) = &self.gate {
            reached.send(()).unwrap();
            nod.recv().unwrap();
        }
        self.bytes.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        if self.meets("dead") {
            return Err(io::ErrorKind::Other.into());
        }
        self.bytes.lock().unwrap().truncate(usize::try_from(len).unwrap());
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        *self.bytes.lock().unwrap() = bytes.to_vec();
        Ok(())
    }
}

#[test]
fn nobody_is_told_before_the_line_is_durable() {
    let (reached, at_disk) = channel();
    let (nod, waits) = channel();
    let bytes = Arc::default();
    let disk = Disk { bytes: Arc::clone(&bytes), faults: Arc::default(), gate: Some((reached, waits)) };
    let account = Account::open(World::for_tests(), LedgerFile::on(Box::new(disk))).unwrap();

    let (told, answers) = channel();
    std::thread::scope(|scope| {
        let writer = told.clone();
        let account = &account;
        scope.spawn(move || writer.send(write(account, "k", &Request::Authorize(visa(5)))).unwrap());
        at_disk.recv().unwrap();
        scope.spawn(move || told.send(account.find_key("k")).unwrap());
        // The write is at the disk, and neither its caller nor a look-up has heard anything.
        assert!(answers.try_recv().is_err());
        assert!(bytes.lock().unwrap().is_empty());
        nod.send(()).unwrap();
        for _ in 0..2 {
            assert_eq!(answers.recv().unwrap().status, 200);
            assert!(!bytes.lock().unwrap().is_empty());
        }
    });
}

#[test]
fn a_full_disk_is_no_effect_and_a_dead_one_stops_the_account() {
    let (bytes, faults) = (Arc::default(), Arc::default());
    let disk = Disk { bytes: Arc::clone(&bytes), faults: Arc::clone(&faults), gate: None };
    let account = Account::open(World::for_tests(), LedgerFile::on(Box::new(disk))).unwrap();
    let hold = Request::Authorize(visa(5));
    assert_eq!(write(&account, "a", &hold).status, 200);
    let before = bytes.lock().unwrap().clone();

    // Full: the half line is taken back, and the same key may be used again.
    faults.lock().unwrap().push("full");
    assert_eq!(write(&account, "b", &hold).status, refusals::STORAGE.status);
    assert_eq!(*bytes.lock().unwrap(), before);
    assert_eq!(account.find_key("b").status, 404);
    assert_eq!(write(&account, "b", &hold).status, 200);

    // Dead: nobody knows what is in the file, so nothing is answered any more, not even "not found".
    let before = account.snapshot().unwrap();
    faults.lock().unwrap().extend(["full", "dead"]);
    assert_eq!(write(&account, "c", &hold).status, 500);
    assert_eq!((account.find_key("c").status, account.fence("c").status), (500, 500));
    assert!(account.truth().is_err() && account.snapshot().is_err());

    // A restore mends it.
    account.restore(&before).unwrap();
    assert_eq!((account.find_key("b").status, account.find_key("c").status), (200, 404));
    assert_eq!(write(&account, "c", &hold).status, 200);
}
