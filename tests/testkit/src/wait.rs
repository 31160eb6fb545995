//! Tests wait on predicates, never on time alone.

use std::future::Future;
use std::time::Duration;

use anyhow::bail;

const TRIES_MAX: u32 = 600;
const PAUSE: Duration = Duration::from_millis(50);

/// Asks again and again until the answer is yes; after half a minute it says what it waited for.
///
/// # Errors
/// When the answer stays no, or asking fails.
pub async fn wait_until<F>(what: &str, mut ask: impl FnMut() -> F) -> anyhow::Result<()>
where
    F: Future<Output = anyhow::Result<bool>>,
{
    for _ in 0..TRIES_MAX {
        if ask().await? {
            return Ok(());
        }
        tokio::time::sleep(PAUSE).await;
    }
    bail!("waited in vain for {what}")
}
