//! Where an order is: parcels, scans, the promise, and what can be done when it is late. Reads only.

#[cfg(test)]
mod tests;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use mcp_actions_engine::node::NodeError;
use mcp_actions_engine::parts::{Choice, Map, Risk, RiskLevel};
use mcp_actions_engine::{
    About, Caller as _, Effects, Ends, Facts, Failure, Flow, Judgement, Nodes, Opened, Preview, Reason,
    Record, Verb,
};
use serde_json::{Value, json};
use shop_domain::after_sales::Door;
use shop_domain::ids::OrderId;
use shop_domain::status::FulfillmentStatus;
use shop_service::after_sales::{self, DoorView};
use shop_service::fulfillments::{self, Scan, Tracking};
use shop_service::orders;

use crate::caller::Caller;
use crate::entities;
use crate::failure::failure;
use crate::wire::{block, object};

const ABOUT: About = About {
    name: "track_order",
    aliases: &["track_shipment", "where_is_my_order"],
    title: "Track an order",
    entity: "Order",
    trigger: "The user wants to know where an order is and when it arrives",
    examples: &[
        "where is my order",
        "when does my package arrive",
        "track the parcel with the lamp",
        "has order 1042 shipped yet",
        "my delivery is late",
        "what does the carrier say",
    ],
    not_for: &["sending it elsewhere: change_delivery_address", "money back for a lost parcel: after_sales"],
    prerequisites: &["the order was placed"],
    postconditions: &["nothing has changed"],
    side_effects: &[],
    requires_approval: false,
    verbs: Verb::READ_ONLY,
};

pub(crate) struct TrackOrder {
    nodes: Nodes,
}

impl TrackOrder {
    pub(crate) fn new() -> Result<Self, NodeError> {
        Ok(Self { nodes: Nodes::new(&[], Ends::View)? })
    }
}

#[async_trait]
impl Flow<Caller> for TrackOrder {
    fn about(&self) -> &About {
        &ABOUT
    }

    fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    async fn open(&self, caller: &Caller, target: Option<&str>, _said: &Map) -> Result<Opened, Failure> {
        entities::open_order(caller, target).await
    }

    async fn facts(&self, caller: &Caller, record: &Record) -> Result<Box<dyn Facts>, Failure> {
        let ctx = caller.ctx();
        let id = order_of(record)?;
        let tracking = fulfillments::track_order(&ctx, id).await.map_err(failure)?;
        let order = orders::get(&ctx, id).await.map_err(failure)?;
        let mut parcels = Vec::with_capacity(tracking.parcels.len());
        for parcel in tracking.parcels {
            // The order shows the latest scan of each parcel; the parcel itself has them all.
            parcels.push(match &parcel.tracking_number {
                Some(number) => fulfillments::track(&ctx, number).await.map_err(failure)?,
                None => parcel,
            });
        }
        let doors = after_sales::eligibility(&ctx, id).await.map_err(failure)?;
        Ok(Box::new(Whereabouts { order, parcels, doors, now: caller.world().clock.now() }))
    }

    async fn observe(&self, caller: &Caller, record: &Record) -> Result<Option<Map>, Failure> {
        // Which one is meant may still be open.
        match &record.entity {
            Some(_) => entities::order_state(caller, order_of(record)?).await.map(Some),
            None => Ok(None),
        }
    }

    fn effects(&self) -> Option<&dyn Effects<Caller>> {
        None
    }
}

fn order_of(record: &Record) -> Result<OrderId, Failure> {
    let id = record.entity.as_ref().and_then(|entity| entity.id.parse().ok());
    id.ok_or_else(|| Failure::new(Reason::Internal, "a tracking action without its order"))
}

/// What the shop and its carriers know.
struct Whereabouts {
    order: orders::View,
    parcels: Vec<Tracking>,
    doors: Vec<DoorView>,
    now: DateTime<Utc>,
}

impl Whereabouts {
    fn is_late(&self, parcel: &Tracking) -> bool {
        let is_there = parcel.status == FulfillmentStatus::Delivered;
        !is_there && parcel.expected_by.is_some_and(|by| by < self.now)
    }

    /// What can be done now, as the flow it begins with.
    fn advice(&self) -> Vec<Value> {
        let target = self.order.id.to_string();
        let offer = |capability: &str, when: &str| json!({ "capability": capability, "target": target, "when": when });
        let is_open = |wanted: Door| self.doors.iter().any(|door| door.door == wanted && door.eligible);
        let any = |fits: &dyn Fn(&Tracking) -> bool| self.parcels.iter().any(fits);
        let travels =
            |it: &Tracking| matches!(it.status, FulfillmentStatus::Shipped | FulfillmentStatus::InTransit);
        let is_troubled = |it: &Tracking| self.is_late(it) || it.status == FulfillmentStatus::Exception;
        let mut advice = Vec::new();
        if is_open(Door::ChangeAddress) {
            advice.push(offer("change_delivery_address", "it has not shipped: it can still go elsewhere"));
        } else if any(&travels) {
            advice.push(offer("change_delivery_address", "it travels: the carrier can redirect it"));
        }
        if is_open(Door::Cancel) {
            advice.push(offer("cancel_order", "it has not shipped: it can still be cancelled"));
        }
        if any(&is_troubled) {
            advice.push(offer("after_sales", "it is late or lost: say so, and the right way is found"));
        }
        advice
    }

    fn parcel(&self, parcel: &Tracking) -> Value {
        let last = parcel
            .scans
            .last()
            .map(|scan: &Scan| json!({ "place": scan.place, "detail": scan.detail, "at": scan.at }));
        json!({
            "id": parcel.fulfillment_id,
            "status": parcel.status,
            "carrier": parcel.carrier,
            "tracking_number": parcel.tracking_number,
            "ship_to": block(&parcel.destination),
            "expected_by": parcel.expected_by,
            "is_late": self.is_late(parcel),
            "last_seen": last,
            "scans": block(&parcel.scans),
        })
    }
}

impl Facts for Whereabouts {
    fn judge(&self, _node: &str, _inputs: &Map) -> Judgement {
        Judgement::valid()
    }

    fn options(&self, _field: &str, _inputs: &Map) -> Option<Vec<Choice>> {
        None
    }

    fn context(&self, _inputs: &Map) -> Map {
        object(json!({
            "order": {
                "id": self.order.id,
                "number": self.order.number,
                "status": entities::headline(&self.order),
                "placed_at": self.order.placed_at,
                "delivered_at": self.order.delivered_at,
            },
            "parcels": self.parcels.iter().map(|parcel| self.parcel(parcel)).collect::<Vec<_>>(),
            "advice": self.advice(),
        }))
    }

    fn preview(&self, _inputs: &Map) -> Preview {
        let summary = json!({
            "order": self.order.number,
            "status": entities::headline(&self.order),
            "parcels": self.parcels.len(),
            "is_late": self.parcels.iter().any(|parcel| self.is_late(parcel)),
        });
        let risk = Risk { level: RiskLevel::Low, factors: Vec::new() };
        Preview { summary: object(summary), risk, staff_approval: false }
    }
}
