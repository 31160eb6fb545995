//! What a role can be allowed to do: every operation needs exactly one of these.

use crate::words::words;

words! {
    /// A permission, as `noun.verb`.
    pub enum Capability {
        CatalogRead = "catalog.read",
        CatalogWrite = "catalog.write",
        InventoryRead = "inventory.read",
        InventoryWrite = "inventory.write",
        PricingRead = "pricing.read",
        PricingWrite = "pricing.write",
        PromotionsRead = "promotions.read",
        PromotionsWrite = "promotions.write",
        CartsWrite = "carts.write",
        CartsRead = "carts.read",
        OrdersWrite = "orders.write",
        CustomersRead = "customers.read",
        CustomersWrite = "customers.write",
        CustomersErase = "customers.erase",
        OrdersRead = "orders.read",
        PaymentMethodsRead = "payment_methods.read",
        PaymentMethodsWrite = "payment_methods.write",
        StoreCreditRead = "store_credit.read",
        StoreCreditWrite = "store_credit.write",
        GiftCardsRead = "gift_cards.read",
        GiftCardsWrite = "gift_cards.write",
        OrdersNotify = "orders.notify",
        OrdersEdit = "orders.edit",
        PaymentsRead = "payments.read",
        PaymentsWrite = "payments.write",
        PaymentsOffline = "payments.offline",
        DisputesRead = "disputes.read",
        DisputesWrite = "disputes.write",
        RefundsRead = "refunds.read",
        RefundsWrite = "refunds.write",
        ShippingRead = "shipping.read",
        ShippingWrite = "shipping.write",
        FulfillmentRead = "fulfillment.read",
        FulfillmentWrite = "fulfillment.write",
        ReturnsRead = "returns.read",
        ReturnsWrite = "returns.write",
        ReturnsApprove = "returns.approve",
        ExchangesRead = "exchanges.read",
        ExchangesWrite = "exchanges.write",
        ExchangesApprove = "exchanges.approve",
        SupportRead = "support.read",
        SupportWrite = "support.write",
        OrdersNotes = "orders.notes",
        ApprovalsRead = "approvals.read",
        ApprovalsRequest = "approvals.request",
        ApprovalsDecide = "approvals.decide",
        WebhooksRead = "webhooks.read",
        WebhooksWrite = "webhooks.write",
        EventsRead = "events.read",
        TaxRead = "tax.read",
        TaxWrite = "tax.write",
        ReviewsRead = "reviews.read",
        ReviewsWrite = "reviews.write",
        ReviewsModerate = "reviews.moderate",
        StaffRead = "staff.read",
        StaffWrite = "staff.write",
        OrgRead = "org.read",
        OrgWrite = "org.write",
        ReportsRead = "reports.read",
        ReportsFinance = "reports.finance",
        AuditRead = "audit.read",
    }
}

impl Capability {
    /// Whether it lets its holder only look. Looking up what the gateway did counts as looking.
    #[must_use]
    pub fn only_reads(self) -> bool {
        self == Self::ReportsFinance || self.as_str().ends_with(".read")
    }
}
