//! One HTTP request to a stranger's endpoint.

use std::sync::OnceLock;
use std::time::Duration;

use shop_domain::limits;

/// Carries events. Each kind of client is made when it is first needed.
#[derive(Debug, Default)]
pub(crate) struct Postman {
    plain: OnceLock<reqwest::Client>,
    secure: OnceLock<reqwest::Client>,
}

impl Postman {
    /// Posts a signed body; returns the HTTP status, or in words why there is none.
    pub(super) async fn post(
        &self,
        url: &str,
        headers: &[(&'static str, String)],
        body: Vec<u8>,
    ) -> Result<u16, String> {
        let mut request = self.client(url)?.post(url).header("content-type", "application/json").body(body);
        for (name, value) in headers {
            request = request.header(*name, value);
        }
        match request.send().await {
            Ok(response) => Ok(response.status().as_u16()),
            Err(error) if error.is_timeout() => Err("no answer in time".to_owned()),
            Err(error) if error.is_connect() => Err("nobody listens there".to_owned()),
            Err(error) => Err(error.without_url().to_string()),
        }
    }

    fn client(&self, url: &str) -> Result<&reqwest::Client, String> {
        let is_plain = url.starts_with("http:");
        let slot = if is_plain { &self.plain } else { &self.secure };
        if let Some(client) = slot.get() {
            return Ok(client);
        }
        let timeout = Duration::from_millis(limits::WEBHOOK_TIMEOUT_MS);
        let mut builder = shop_gateway::client::direct_http(timeout, timeout);
        if is_plain {
            // No certificate will be seen, and loading the system's takes long.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|cause| format!("HTTP cannot be set up: {cause}"))?;
        Ok(slot.get_or_init(|| client))
    }
}
