//! Payment links: pages on which what is due can be paid.

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use serde_json::json;
use shop_domain::ids::{PaymentLinkId, PrincipalId};
use shop_domain::limits;
use shop_store::entities::payment_links;

use super::{History, Instrument};

impl History<'_> {
    /// Staff make a page for what is due.
    pub(crate) fn link_made(mut self, by: PrincipalId) -> Result<Self> {
        self.pass_minutes(10);
        let amount_minor = self.due();
        ensure!(amount_minor > 0, "nothing is due on order {}", self.order.id);
        let id = self.id(PaymentLinkId::new);
        self.links.push(payment_links::Model {
            id,
            order_id: self.order.id,
            nonce: self.id(|ulid| ulid.to_string()).to_lowercase(),
            amount_minor,
            currency: self.order.currency,
            payment_id: None,
            created_by: by,
            expires_at: self.at + TimeDelta::hours(limits::PAYMENT_LINK_HOURS),
            created_at: self.at,
        });
        self.tell("payment_link.created", id, json!({ "amount_minor": amount_minor }));
        Ok(self)
    }

    /// Somebody pays on the last page.
    pub(crate) fn link_paid(self, card: &Instrument) -> Result<Self> {
        let mut order = self.wait_hours(1).paid(card)?;
        let payment = order.payment()?.id;
        order.links.last_mut().context("no link was made")?.payment_id = Some(payment);
        Ok(order)
    }
}
