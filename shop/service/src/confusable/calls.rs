//! The operations by name, each with the plainest input about the scene's order.

use shop_domain::fulfillments::DeliveryException;
use shop_domain::reasons::{CancelReason, RefundReason, ReturnReason};
use shop_domain::returns::ReturnGrade;
use shop_domain::status::RefundDestination;

use super::{MUG, Scene, said};
use crate::testing::hamburg;
use crate::{
    Ctx, LineUnits, addresses, carts, credit, customers, exchanges, fulfillments, orders, payment_methods,
    payments, refunds, returns,
};

/// Where Ada wants things to go instead.
pub(super) const ELSEWHERE: &str = "Ada at work";

impl Scene {
    /// The first unit of the first line.
    pub(super) fn unit(&self) -> Vec<LineUnits> {
        vec![LineUnits { line_id: self.order.lines[0].id, quantity: 1 }]
    }

    /// A new call by the clerk that believes in a version.
    pub(super) fn ctx(&self, version: i64) -> Ctx {
        self.t.at(&self.clerk, version)
    }

    /// Does an operation on the order and says what came of it.
    pub(super) async fn does(&self, operation: &str) -> String {
        if operation.starts_with("refund_") {
            return Box::pin(self.refunds_by(operation)).await;
        }
        let (t, id) = (&self.t, self.order.id);
        let ctx = self.ctx(self.now().await.version);
        match operation {
            "cancel_order" => {
                let input = orders::Cancel { reason: CancelReason::NoLongerNeeded, approval_id: None };
                said(orders::cancel(&ctx, id, input).await)
            }
            "request_return" => self.asks_back(ReturnReason::WrongSize).await,
            "request_exchange" => self.swaps(t.goods.large_shirt).await,
            "send_replacement" => said(exchanges::send_replacement(&ctx, id, self.replacement(None)).await),
            "change_order_delivery_address" => {
                let address = hamburg(ELSEWHERE);
                let input = orders::ChangeAddress { address, shipping_method_id: None, approval_id: None };
                said(orders::change_address(&ctx, id, input).await)
            }
            "create_fulfillment" => said(fulfillments::create(&ctx, id, Default::default()).await),
            "create_payment" => {
                let method = Some(t.ada.card);
                let input = payments::Create { payment_method_id: method, ..payments::Create::default() };
                said(payments::create(&ctx, id, input).await)
            }
            "issue_store_credit" => {
                let reason = "as you asked".into();
                let input = credit::Issue { amount_minor: MUG, currency: None, reason, approval_id: None };
                let version = credit::balance(&t.ctx(&t.admin), t.ada.customer).await.unwrap().version;
                said(credit::issue(&self.ctx(version), t.ada.customer, input).await)
            }
            "report_delivery_exception"
            | "redirect_shipment"
            | "update_tracking_number"
            | "cancel_fulfillment"
            | "mark_fulfillment_shipped" => self.on_parcel(operation).await,
            "authorize_payment" | "capture_payment" | "void_payment" | "sync_payment_status" => {
                self.on_payment(operation).await
            }
            _ => Box::pin(self.on_customer(operation)).await,
        }
    }

    async fn refunds_by(&self, operation: &str) -> String {
        let id = self.order.id;
        let ctx = self.ctx(self.now().await.version);
        match operation {
            "refund_unshipped_items" => said(refunds::unshipped(&ctx, id, Default::default()).await),
            "refund_without_return" => {
                let input = refunds::WithoutReturn {
                    lines: Some(self.unit()),
                    reason: RefundReason::Goodwill,
                    destination: None,
                    gift_card_id: None,
                    approval_id: None,
                };
                said(refunds::without_return(&ctx, id, input).await)
            }
            "refund_returned_items" => self.pays_return(None).await,
            "refund_shipping_fee" => said(refunds::shipping_fee(&ctx, id, Default::default()).await),
            "refund_shipping_difference" => {
                said(refunds::shipping_difference(&ctx, id, Default::default()).await)
            }
            "refund_price_adjustment" => {
                let input = refunds::PriceAdjustment {
                    reason: RefundReason::PriceDrop,
                    amount_minor: None,
                    line_id: None,
                    coupon_code: None,
                    payment_id: None,
                    destination: None,
                    gift_card_id: None,
                    approval_id: None,
                };
                said(refunds::price_adjustment(&ctx, id, input).await)
            }
            other => panic!("no such refund: {other}"),
        }
    }

    async fn on_parcel(&self, operation: &str) -> String {
        let parcel = self.parcels().await.remove(0);
        let (ctx, id) = (self.ctx(parcel.version), parcel.id);
        match operation {
            "report_delivery_exception" => {
                let input = fulfillments::ReportException { kind: DeliveryException::Lost, note: None };
                said(fulfillments::report_exception(&ctx, id, input).await)
            }
            "redirect_shipment" => {
                let input = fulfillments::Redirect { address: hamburg(ELSEWHERE), approval_id: None };
                said(fulfillments::redirect(&ctx, id, input).await)
            }
            "update_tracking_number" => {
                let number = Some("TW000482019337".into());
                let input = fulfillments::UpdateTracking { carrier: None, tracking_number: number };
                said(fulfillments::update_tracking(&ctx, id, input).await)
            }
            "cancel_fulfillment" => said(fulfillments::cancel(&ctx, id).await),
            _ => said(fulfillments::ship(&ctx, id, Default::default()).await),
        }
    }

    async fn on_payment(&self, operation: &str) -> String {
        let payment = self.payment().await;
        let (ctx, id) = (self.ctx(payment.version), payment.id);
        match operation {
            "authorize_payment" => said(payments::authorize(&ctx, id, Default::default()).await),
            "capture_payment" => said(payments::capture(&ctx, id, Default::default()).await),
            "void_payment" => said(payments::void(&ctx, id).await),
            _ => said(payments::sync(&ctx, id).await),
        }
    }

    async fn on_customer(&self, operation: &str) -> String {
        let (t, ada) = (&self.t, self.t.ada.customer);
        let ctx = t.ctx(&t.admin);
        let version = customers::get(&ctx, ada).await.unwrap().version;
        let ctx = t.at(&t.admin, version);
        match operation {
            "update_customer_address" => {
                let input = addresses::Update { label: None, address: Some(hamburg(ELSEWHERE)) };
                said(addresses::update(&t.ctx(&t.admin), ada, t.ada.address, input).await)
            }
            "set_default_customer_address" => {
                let (label, address) = ("work".into(), hamburg(ELSEWHERE));
                let input = addresses::Create { label, address, is_default: false };
                let work = addresses::create(&t.ctx(&t.admin), ada, input).await.unwrap().view;
                said(addresses::set_default(&t.ctx(&t.admin), ada, work.id).await)
            }
            "set_cart_shipping_address" => {
                let cart = carts::create(&t.ctx(&t.ada.principal), Default::default()).await.unwrap().view;
                let input = carts::SetAddress { address_id: None, address: Some(hamburg(ELSEWHERE)) };
                said(carts::set_shipping_address(&t.ctx(&t.ada.principal), cart.id, input).await)
            }
            "apply_cart_coupon" => {
                let cart = carts::create(&t.ctx(&t.ada.principal), Default::default()).await.unwrap().view;
                let input = carts::ApplyCoupon { code: Some("SAVE10".into()) };
                said(carts::apply_coupon(&t.ctx(&t.ada.principal), cart.id, input).await)
            }
            "detach_payment_method" => {
                said(payment_methods::detach(&t.ctx(&t.ada.principal), ada, t.ada.card).await)
            }
            "block_customer" => {
                let input = customers::Block { reason: "asked for it".into(), is_blocked: None };
                said(customers::block(&ctx, ada, input).await)
            }
            "anonymize_customer" => said(customers::anonymize(&ctx, ada).await),
            other => panic!("no such operation here: {other}"),
        }
    }

    /// Asks for the first unit to come back.
    pub(super) async fn asks_back(&self, reason: ReturnReason) -> String {
        let input = returns::Request {
            lines: Some(self.unit()),
            reason,
            note: None,
            refund_to: None,
            refund_method_id: None,
            approval_id: None,
        };
        said(returns::request(&self.ctx(self.now().await.version), self.order.id, input).await)
    }

    /// Asks for another variant in place of the first unit.
    pub(super) async fn swaps(&self, variant_id: shop_domain::ids::VariantId) -> String {
        let line_id = self.order.lines[0].id;
        let input = exchanges::Request {
            lines: vec![exchanges::Swap { line_id, quantity: 1, variant_id }],
            reason: ReturnReason::WrongSize,
            settle_with: None,
            approval_id: None,
        };
        said(exchanges::request(&self.ctx(self.now().await.version), self.order.id, input).await)
    }

    pub(super) fn replacement(
        &self,
        approval_id: Option<shop_domain::ids::ApprovalId>,
    ) -> exchanges::Replace {
        exchanges::Replace { lines: self.unit(), reason: "it broke".into(), approval_id }
    }

    /// The first unit is back and as good as new.
    pub(super) async fn comes_back(&self) {
        let id = self.returns().await[0].id;
        returns::receive(&self.t.ctx(&self.clerk), id, Default::default()).await.unwrap();
        let line_id = self.order.lines[0].id;
        let grades = vec![returns::Grade { line_id, quantity: 1, grade: ReturnGrade::Restock }];
        let input = returns::Inspect { grades, location_id: None };
        returns::inspect(&self.t.ctx(&self.clerk), id, input).await.unwrap();
    }

    /// Pays for the first return.
    pub(super) async fn pays_return(&self, destination: Option<RefundDestination>) -> String {
        let Some(row) = self.returns().await.into_iter().next() else { return "no return".into() };
        let input = refunds::Returned { destination, ..refunds::Returned::default() };
        said(refunds::returned(&self.ctx(row.version), row.id, input).await)
    }
}
