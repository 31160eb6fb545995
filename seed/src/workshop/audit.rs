//! The audit log of what people did by hand: one row for each such event, and a few refusals.

use anyhow::Result;
use chrono::{DateTime, TimeDelta, Utc};
use shop_domain::ids::AuditId;
use shop_store::entities::{audit_log, events};

use super::tickets::named;
use crate::ground::Ground;

/// Events that only one operation can bring about, and who did that.
const DEEDS: &[(&str, &str, &str)] = &[
    ("category.created", "create_category", "brand"),
    ("product.created", "create_product", "brand"),
    ("variant.created", "create_variant", "brand"),
    ("product.media_added", "add_product_media", "brand"),
    ("product.archived", "archive_product", "brand"),
    ("inventory.adjusted", "adjust_inventory", "brand"),
    ("inventory.transfer_created", "create_inventory_transfer", "brand"),
    ("inventory.transfer_received", "receive_inventory_transfer", "brand"),
    ("order.edit_begun", "begin_order_edit", "admin"),
    ("order.edit_discarded", "discard_order_edit", "admin"),
    ("payment_link.created", "create_payment_link", "admin"),
    ("customer.blocked", "block_customer", "admin"),
    ("customer.merged", "merge_customers", "admin"),
    ("customer.anonymized", "anonymize_customer", "admin"),
    ("gift_card.issued", "issue_gift_card", "admin"),
    ("gift_card.disabled", "disable_gift_card", "admin"),
    ("webhook.endpoint_created", "create_webhook_endpoint", "admin"),
    ("webhook.endpoint_deleted", "delete_webhook_endpoint", "admin"),
];

/// Who tried what they may not, how many hours ago.
const REFUSALS: &[(&str, &str, &str, i64)] =
    &[("support", "anonymize_customer", "capability", 75), ("nobody", "add_order_note", "capability", 30)];

pub(super) fn build(ground: &mut Ground) -> Result<()> {
    for (kind, operation, who) in DEEDS {
        let done: Vec<events::Model> =
            ground.books.numbered.events.iter().filter(|event| event.kind == *kind).cloned().collect();
        for event in done {
            let row =
                audit_log::Model { subject: Some(event.subject), ..row(ground, event.at, who, operation)? };
            ground.books.numbered.audit_log.push(row);
        }
    }
    for (who, operation, layer, hours_ago) in REFUSALS {
        let at = ground.now - TimeDelta::hours(*hours_ago);
        let row = audit_log::Model {
            outcome: "refused".to_owned(),
            layer: (*layer).to_owned(),
            reason: Some(format!("forbidden: {who} may not {operation}")),
            ..row(ground, at, who, operation)?
        };
        ground.books.numbered.audit_log.push(row);
    }
    Ok(())
}

/// Something that somebody was allowed to do.
fn row(ground: &Ground, at: DateTime<Utc>, who: &str, operation: &str) -> Result<audit_log::Model> {
    let who = named(ground, who)?;
    Ok(audit_log::Model {
        seq: 0,
        id: ground.draw.id(at, AuditId::new),
        principal_id: who.id,
        principal_name: who.name,
        on_behalf_of: None,
        operation: operation.to_owned(),
        subject: None,
        outcome: "allowed".to_owned(),
        layer: "execution".to_owned(),
        reason: None,
        approval_id: None,
        door: "rest".to_owned(),
        at,
    })
}
