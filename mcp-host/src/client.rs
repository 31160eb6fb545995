//! The HTTP client that doors and the bridge use.

use std::time::Duration;

use crate::limits;

/// A client that follows no redirects (a redirect would carry credentials elsewhere) and asks no proxy.
///
/// # Errors
/// When the TLS backend cannot be set up.
pub fn http_client(timeout: Duration) -> Result<reqwest::Client, reqwest::Error> {
    // Refused when somebody installed a provider before, which is as good.
    let _installed_before = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .connect_timeout(limits::CONNECT_TIMEOUT)
        .pool_idle_timeout(limits::POOL_IDLE)
        .timeout(timeout)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .tcp_nodelay(true)
        .build()
}
