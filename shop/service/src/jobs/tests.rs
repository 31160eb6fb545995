use std::sync::Mutex;

use chrono::TimeDelta;

use super::*;
use crate::testing::TestShop;

async fn put(t: &TestShop, in_seconds: i64) {
    put_at(&t.shop, t.shop.world.clock.now() + TimeDelta::seconds(in_seconds)).await;
}

async fn put_at(shop: &Arc<Shop>, due_at: DateTime<Utc>) {
    let tx = shop.db.begin().await.unwrap();
    enqueue(&*tx, shop, Kind::ExpireHolds, "a holder", due_at).await.unwrap();
    tx.commit().await.unwrap();
}

async fn due_in(t: &TestShop) -> Option<i64> {
    let due = next_due(&t.shop).await.unwrap()?;
    Some((due - t.shop.world.clock.now()).num_seconds())
}

/// Counts its runs, and puts the same job again in the middle of the first, this many seconds ahead.
struct PutsAgain {
    in_seconds: i64,
    ends: Next,
    runs: Mutex<usize>,
}

#[async_trait]
impl Worker for PutsAgain {
    async fn run(&self, shop: &Arc<Shop>, _: Kind, _: &str) -> Result<Next> {
        let runs = {
            let mut runs = self.runs.lock().unwrap();
            *runs += 1;
            *runs
        };
        if runs > 1 {
            return Ok(Next::Done);
        }
        put_at(shop, shop.world.clock.now() + TimeDelta::seconds(self.in_seconds)).await;
        Ok(self.ends)
    }
}

#[tokio::test]
async fn the_earlier_of_two_times_wins() {
    let t = TestShop::open().await;
    put(&t, 60).await;
    put(&t, 90).await;
    assert_eq!(due_in(&t).await, Some(60));
    put(&t, 30).await;
    assert_eq!(due_in(&t).await, Some(30));
}

#[tokio::test]
async fn a_job_that_is_put_again_while_it_runs_runs_again() {
    for in_seconds in [0, 45] {
        for ends in [Next::Done, Next::Again(DateTime::<Utc>::MAX_UTC)] {
            let t = TestShop::open().await;
            put(&t, 0).await;
            let worker = PutsAgain { in_seconds, ends, runs: Mutex::default() };
            let ran = run_due(&t.shop, &worker).await.unwrap();
            if in_seconds > 0 {
                assert_eq!((ran, due_in(&t).await), (1, Some(in_seconds)), "{ends:?}");
                t.shop.world.clock.advance(TimeDelta::seconds(in_seconds));
                run_due(&t.shop, &worker).await.unwrap();
            }
            let runs = *worker.runs.lock().unwrap();
            assert_eq!((runs, due_in(&t).await), (2, None), "{in_seconds} {ends:?}");
        }
    }
}
