//! Cases of Ada and Bob with support, one in every state.

use anyhow::{Context, Result};
use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;
use shop_domain::ids::{OrderId, TicketId, TicketMessageId};
use shop_domain::reasons::TicketResolution;
use shop_domain::status::TicketStatus;
use shop_domain::tickets::TicketEvent;
use shop_store::entities::{principals, ticket_messages, tickets};

use crate::Demo;
use crate::ground::Ground;

/// What happens on a ticket after its first message.
enum Turn {
    Customer(&'static str),
    Staff(&'static str),
    /// For staff only.
    Note(&'static str),
    Escalate(&'static str, &'static str),
    Close(TicketResolution),
}

use Turn::{Close, Customer, Escalate, Note, Staff};

/// One case: who, about which of Ada's orders, its subject, how many hours ago, its first message, and what followed.
struct Case {
    who: &'static str,
    order: Option<&'static str>,
    subject: &'static str,
    hours_ago: i64,
    text: &'static str,
    turns: &'static [Turn],
}

const CASES: &[Case] = &[
    Case {
        who: "ada",
        order: Some("#1003"),
        subject: "Do the trail shoes run small?",
        hours_ago: 9 * 24,
        text: "I usually take 42. Should I have taken 43?",
        turns: &[
            Staff("They fit as other shoes do. You can exchange them for 30 days if not."),
            Customer("They fit. Thank you!"),
            Close(TicketResolution::Solved),
        ],
    },
    Case {
        who: "ada",
        order: Some("#1007"),
        subject: "My speaker never arrived",
        hours_ago: 60,
        text: "The carrier says it is lost. What happens now?",
        turns: &[
            Staff("I am sorry. I have asked the carrier and will write to you tomorrow."),
            Note("Carrier confirms the loss. She may have her money or another one, not both."),
            Escalate("carrier claims", "Lost parcel, insured. Please open the claim."),
        ],
    },
    Case {
        who: "bob",
        order: None,
        subject: "Invoice with my VAT number",
        hours_ago: 30,
        text: "Can you put my company's VAT number on the invoice?",
        turns: &[Staff("Yes. Which number, and which order?")],
    },
    Case {
        who: "ada",
        order: Some("#1009"),
        subject: "Where is my refund?",
        hours_ago: 5,
        text: "You wrote that the teapot was refunded. My bank has nothing yet.",
        turns: &[],
    },
];

pub(super) fn build(ground: &mut Ground, demo: &Demo) -> Result<()> {
    for case in CASES {
        let order = match case.order {
            Some(number) => {
                let found = demo.orders.iter().find(|(known, _)| known == number);
                Some(found.with_context(|| format!("there is no order {number}"))?.1)
            }
            None => None,
        };
        ticket(ground, case, order).with_context(|| format!("the ticket `{}`", case.subject))?;
    }
    Ok(())
}

/// Somebody by the name they sign in with.
pub(super) fn named(ground: &Ground, name: &str) -> Result<principals::Model> {
    let found = ground.rows.principals.iter().find(|row| row.name == name);
    found.cloned().with_context(|| format!("nobody is called {name}"))
}

fn ticket(ground: &mut Ground, case: &Case, order_id: Option<OrderId>) -> Result<()> {
    let (customer, support) = (named(ground, case.who)?, named(ground, "support")?);
    let mut at = ground.now - TimeDelta::hours(case.hours_ago);
    let mut row = tickets::Model {
        id: ground.draw.id(at, TicketId::new),
        brand_id: customer.brand_id.context("customers are of a brand")?,
        store_id: customer.store_id.context("customers are of a store")?,
        customer_id: customer.customer_id.context("customers have an account")?,
        order_id,
        subject: case.subject.to_owned(),
        status: TicketStatus::Open,
        assignee_id: None,
        team: None,
        resolution: None,
        created_at: at,
        updated_at: at,
        closed_at: None,
        version: 1,
    };
    say(ground, row.id, &customer, (case.text, false), at);
    let data = json!({ "customer_id": row.customer_id, "order_id": row.order_id });
    ground.books.event(&ground.draw, at, "ticket.created", row.id, None, data);
    for turn in case.turns {
        at += TimeDelta::hours(2);
        row.updated_at = at;
        row.version += 1;
        take(ground, &mut row, (&customer, &support), turn)?;
    }
    ground.rows.tickets.push(row);
    Ok(())
}

/// One turn, by the ticket's own machine.
fn take(
    ground: &mut Ground,
    row: &mut tickets::Model,
    (customer, support): (&principals::Model, &principals::Model),
    turn: &Turn,
) -> Result<()> {
    let at = row.updated_at;
    let (kind, data) = match turn {
        Customer(text) => {
            row.status = row.status.after(TicketEvent::CustomerReplied)?;
            say(ground, row.id, customer, (*text, false), at);
            ("ticket.replied", json!({ "is_staff": false }))
        }
        Staff(text) => {
            row.status = row.status.after(TicketEvent::StaffReplied)?;
            row.assignee_id.get_or_insert(support.id);
            say(ground, row.id, support, (*text, false), at);
            ("ticket.replied", json!({ "is_staff": true }))
        }
        Note(text) => {
            say(ground, row.id, support, (*text, true), at);
            return Ok(());
        }
        Escalate(team, summary) => {
            row.status = row.status.after(TicketEvent::Escalated)?;
            row.team = Some((*team).to_owned());
            row.assignee_id = None;
            say(ground, row.id, support, (*summary, true), at);
            ("ticket.escalated", json!({ "team": team }))
        }
        Close(resolution) => {
            row.status = row.status.after(TicketEvent::Closed)?;
            row.resolution = Some(*resolution);
            row.closed_at = Some(at);
            ("ticket.closed", json!({ "resolution": resolution }))
        }
    };
    ground.books.event(&ground.draw, at, kind, row.id, None, data);
    Ok(())
}

fn say(
    ground: &mut Ground,
    ticket_id: TicketId,
    author: &principals::Model,
    (text, is_internal): (&str, bool),
    at: DateTime<Utc>,
) {
    ground.rows.ticket_messages.push(ticket_messages::Model {
        id: ground.draw.id(at, TicketMessageId::new),
        ticket_id,
        author_id: author.id,
        author_name: author.name.clone(),
        is_staff: author.customer_id.is_none(),
        is_internal,
        text: text.to_owned(),
        created_at: at,
    });
}
