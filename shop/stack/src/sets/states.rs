//! The states that the sets begin in.

use shop_domain::ids::{OrderId, PaymentId, VariantId};
use shop_service::{orders, payments};

use super::*;

impl Desk {
    /// An order of Ada's whose money is held and not taken.
    pub(super) async fn held(&self, variant: VariantId) -> (OrderId, PaymentId) {
        let order = self.t.placed(&[(variant, 1)]).await;
        let payment = self.opened(order.id).await;
        self.done(&self.t.ada.principal, "authorize_payment", &[&payment], json!({})).await;
        (order.id, payment)
    }

    async fn opened(&self, order: OrderId) -> PaymentId {
        let ctx = self.t.ctx(&self.t.ada.principal);
        let input = payments::Create { payment_method_id: Some(self.t.ada.card), ..Default::default() };
        payments::create(&ctx, order, input).await.unwrap().view.id
    }

    /// An order whose money was taken, and the answer was lost.
    pub(super) async fn in_doubt(&self) -> (OrderId, PaymentId) {
        let (order, payment) = self.held(self.t.goods.blue_mug).await;
        self.t.script(&["lost_answer@capture:after*1"]);
        self.call(&self.t.ada.principal, "capture_payment", &[&payment], json!({})).await;
        assert_eq!(self.row("payments", payment).await["status"], "unknown");
        (order, payment)
    }

    /// A refund of a whole order, while the gateway fails like this.
    pub(super) async fn refund_that(&self, fault: &str) -> (OrderId, String) {
        let order = self.t.paid(&[(self.t.goods.blue_mug, 1)]).await;
        self.t.script(&[fault]);
        self.call(&self.t.lead, "refund_unshipped_items", &[&order.id], json!({})).await;
        let refunds = self.table("refunds").await;
        (order.id, refunds[0]["id"].as_str().unwrap().to_owned())
    }

    /// A mug that is on its way, and a lamp that is not.
    pub(super) async fn half_sent(&self) -> orders::View {
        let order = self.t.paid(&[(self.t.goods.blue_mug, 1), (self.t.goods.desk_lamp, 1)]).await;
        let mug = order.lines.iter().find(|line| line.variant_id == self.t.goods.blue_mug).unwrap();
        let parcel = json!({ "lines": units(mug.id, 1) });
        let parcel = self.done(&self.t.lead, "create_fulfillment", &[&order.id], parcel).await;
        self.done(&self.t.lead, "mark_fulfillment_shipped", &[&parcel["id"].as_str().unwrap()], json!({}))
            .await;
        self.t.order(order.id).await
    }

    /// An order that was to go by express and left by the standard method.
    pub(super) async fn sent_slower(&self) -> OrderId {
        let order = self.t.placed(&[(self.t.goods.blue_mug, 1)]).await;
        let express = json!({ "shipping_method_id": self.t.shipping.express });
        self.done(&self.t.lead, "change_order_shipping_option", &[&order.id], express).await;
        let order = self.t.order(order.id).await;
        self.t.pay(&order, self.t.ada.card).await;
        let parcel = self.done(&self.t.lead, "create_fulfillment", &[&order.id], json!({})).await;
        let by = json!({ "shipping_method_id": self.t.shipping.standard });
        self.done(&self.t.lead, "mark_fulfillment_shipped", &[&parcel["id"].as_str().unwrap()], by).await;
        order.id
    }

    /// An order whose parcel the carrier has lost.
    pub(super) async fn lost(&self) -> orders::View {
        let (order, parcel) = self.t.shipped(&[(self.t.goods.blue_mug, 1)]).await;
        self.done(&self.t.lead, "report_delivery_exception", &[&parcel.id], json!({ "kind": "lost" })).await;
        self.t.order(order.id).await
    }

    /// A return of everything, approved.
    pub(super) async fn asked_back(&self, order: OrderId) -> String {
        let why = json!({ "reason": "changed_mind" });
        let back = self.done(&self.t.ada.principal, "request_return", &[&order], why).await;
        let id = back["id"].as_str().unwrap().to_owned();
        if back["status"] == "requested" {
            self.done(&self.t.lead, "approve_return", &[&id], json!({})).await;
        }
        id
    }

    /// A return of everything, accepted and not paid for.
    pub(super) async fn come_back(&self, order: &orders::View) -> String {
        let back = self.asked_back(order.id).await;
        self.done(&self.t.lead, "receive_return_items", &[&back], json!({})).await;
        let line = &order.lines[0];
        let grades =
            json!({ "grades": [{ "line_id": line.id, "quantity": line.quantity, "grade": "restock" }] });
        self.done(&self.t.lead, "inspect_return_items", &[&back], grades).await;
        back
    }

    /// The agent asks for leave to do exactly this.
    pub(super) async fn asked(&self, operation: &str, order: OrderId, body: &Value) -> String {
        let ask =
            json!({ "operation": operation, "subject": order, "input": body, "reason": "the customer asks" });
        let asked = self.done(&self.t.agent, "request_approval", &[], ask).await;
        asked["id"].as_str().unwrap().to_owned()
    }

    /// And the lead says yes.
    pub(super) async fn signed_off(&self, operation: &str, order: OrderId, body: &Value) -> Value {
        let approval = self.asked(operation, order, body).await;
        self.done(&self.t.lead, "approve_request", &[&approval], json!({})).await;
        approval.into()
    }

    /// The one payment of an order.
    pub(super) async fn payment(&self, order: OrderId) -> String {
        let rows = self.table("payments").await;
        let of_order = rows.into_iter().find(|row| row["order_id"] == json!(order)).unwrap();
        of_order["id"].as_str().unwrap().to_owned()
    }

    /// Units of a variant that are promised to somebody.
    pub(super) async fn reserved(&self, variant: VariantId) -> i64 {
        let rows = self.table("inventory_levels").await;
        let level = rows.into_iter().find(|row| row["variant_id"] == json!(variant)).unwrap();
        level["reserved"].as_i64().unwrap()
    }

    /// Ada's store credit.
    pub(super) async fn credit(&self) -> i64 {
        self.balance().await["accounts"][0]["available_minor"].as_i64().unwrap()
    }

    async fn balance(&self) -> Value {
        let customer = &self.t.ada.customer;
        self.done(&self.t.ada.principal, "get_store_credit_balance", &[customer], Value::Null).await
    }

    /// Store credit for Ada, for nothing in return.
    pub(super) async fn give(&self, amount_minor: i64) {
        let version = self.balance().await["version"].as_i64();
        let gift = json!({ "amount_minor": amount_minor, "reason": "instead of money" });
        let customer = &self.t.ada.customer;
        let given = self.call_at(version, &self.t.lead, "issue_store_credit", &[customer], gift).await;
        assert!(given.status < 300, "{}", given.body);
    }

    /// Where an order goes.
    pub(super) async fn street(&self, order: OrderId) -> String {
        self.t.order(order).await.shipping_address.line1
    }
}
