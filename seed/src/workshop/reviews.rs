//! What buyers say about what they got: most of it published, some of it waiting, hidden or looked at more closely.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use rand::RngExt;
use serde_json::json;
use shop_domain::ids::{PrincipalId, ReviewId};
use shop_domain::reviews::ReviewEvent;
use shop_domain::status::ReviewStatus;
use shop_service::reviews::public_name;
use shop_store::entities::{order_lines, orders, reviews};

use crate::ground::Ground;

/// How many there are.
const REVIEWS: usize = 30;

/// What is said for so many stars: one to five.
const WORDS: [(&str, &str); 5] = [
    ("Sent it back", "It broke in the first week, and I had to ask twice."),
    ("Not what I hoped for", "Looks better in the pictures than on the table."),
    ("Does what it should", "Nothing special, and nothing wrong with it."),
    ("Good", "Well made. Shipping took a day longer than promised."),
    ("Would buy again", "Exactly as described, and it feels like it will last."),
];

pub(super) fn build(ground: &mut Ground) -> Result<()> {
    let admin = ground.rows.principals.iter().find(|row| row.name == "admin");
    let moderator = admin.context("somebody runs the shop")?.id;
    let mut chance = ground.draw.chance("reviews");
    for (nth, (order, line)) in bought(ground).into_iter().enumerate() {
        let stars = [5, 4, 5, 3, 4, 5, 2, 5, 4, 1].get(chance.random_range(0..10)).copied().unwrap_or(5);
        let at = order.delivered_at.context("only what has arrived is reviewed")?;
        review(ground, (&order, &line), stars, at + TimeDelta::hours(chance.random_range(2..48)))?;
        moderate(ground, moderator, nth)?;
    }
    Ok(())
}

/// Lines that arrived three days ago or earlier, one a customer and product, in the order of their purchase.
fn bought(ground: &Ground) -> Vec<(orders::Model, order_lines::Model)> {
    let mut seen = BTreeSet::new();
    let long_ago = ground.now - TimeDelta::days(3);
    let orders = &ground.rows.orders;
    let arrived =
        ground.rows.order_lines.iter().filter(|line| line.delivered_quantity > 0).filter_map(|line| {
            let order = orders.iter().find(|order| order.id == line.order_id)?;
            order.delivered_at.filter(|at| *at < long_ago)?;
            seen.insert((order.customer_id?, line.product_id)).then(|| (order.clone(), line.clone()))
        });
    let mut arrived: Vec<_> = arrived.collect();
    arrived.sort_by_key(|(order, line)| (order.placed_at, line.id));
    arrived.truncate(REVIEWS);
    arrived
}

fn review(
    ground: &mut Ground,
    (order, line): (&orders::Model, &order_lines::Model),
    stars: i64,
    at: DateTime<Utc>,
) -> Result<()> {
    let customer = ground.rows.customers.iter().find(|row| Some(row.id) == order.customer_id);
    let customer = customer.context("a buyer is a customer")?.clone();
    let nth = usize::try_from(stars - 1)?;
    let (title, text) = WORDS.get(nth).context("one to five stars")?;
    let row = reviews::Model {
        id: ground.draw.id(at, ReviewId::new),
        product_id: line.product_id,
        brand_id: order.brand_id,
        store_id: order.store_id,
        customer_id: customer.id,
        order_id: order.id,
        author_name: public_name(&customer),
        stars,
        title: (*title).to_owned(),
        text: (*text).to_owned(),
        status: ReviewStatus::Pending,
        moderated_by: None,
        moderation_note: None,
        reply: None,
        replied_at: None,
        created_at: at,
        updated_at: at,
        version: 1,
    };
    let data = json!({ "product_id": row.product_id, "stars": stars });
    ground.books.event(&ground.draw, at, "review.created", row.id, None, data);
    ground.rows.reviews.push(row);
    Ok(())
}

/// Every seventh still waits; of the others, most are published, and what is harsh gets an answer.
fn moderate(ground: &mut Ground, by: PrincipalId, nth: usize) -> Result<()> {
    let row = ground.rows.reviews.last_mut().context("a review was just written")?;
    let event = match nth % 7 {
        0 => return Ok(()),
        3 if nth.is_multiple_of(2) => ReviewEvent::Hidden,
        5 if nth.is_multiple_of(2) => ReviewEvent::Flagged,
        _ => ReviewEvent::Published,
    };
    row.status = row.status.after(event)?;
    row.moderated_by = Some(by);
    row.updated_at += TimeDelta::hours(3);
    row.version += 1;
    let (id, at, data) = (row.id, row.updated_at, json!({ "product_id": row.product_id }));
    if row.status == ReviewStatus::Published && row.stars <= 2 {
        row.updated_at += TimeDelta::hours(1);
        row.reply = Some("We are sorry. Please write to support: it is under warranty.".to_owned());
        row.replied_at = Some(row.updated_at);
        row.version += 1;
        let at = row.updated_at;
        ground.books.event(&ground.draw, at, "review.replied", id, None, data.clone());
    }
    ground.books.event(&ground.draw, at, format!("review.{event}"), id, None, data);
    Ok(())
}
