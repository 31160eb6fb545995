//! Every status of the shop, word by word. How they move is in the file of the noun.

use crate::words::words;

words! {
    /// Where an order stands commercially.
    pub enum OrderStatus {
        Draft = "draft",
        Pending = "pending",
        Confirmed = "confirmed",
        OnHold = "on_hold",
        Completed = "completed",
        Cancelled = "cancelled",
    }

    /// Where an order stands with its money, derived from its payments and refunds.
    pub enum OrderPaymentStatus {
        Unpaid = "unpaid",
        Authorized = "authorized",
        PartiallyPaid = "partially_paid",
        Paid = "paid",
        PartiallyRefunded = "partially_refunded",
        Refunded = "refunded",
        Voided = "voided",
        /// A gateway answer is missing: look it up before doing anything with money.
        Unknown = "unknown",
    }

    /// Where an order stands with its goods, derived from its fulfillments and returns.
    pub enum OrderFulfillmentStatus {
        Unfulfilled = "unfulfilled",
        Partial = "partial",
        Shipped = "shipped",
        Delivered = "delivered",
        Exception = "exception",
        Returned = "returned",
    }

    /// The state of one payment.
    pub enum PaymentState {
        Created = "created",
        /// The person must do something at their bank, such as 3-D Secure.
        RequiresAction = "requires_action",
        Authorizing = "authorizing",
        Authorized = "authorized",
        Capturing = "capturing",
        Captured = "captured",
        Voided = "voided",
        Failed = "failed",
        /// A gateway answer is missing: only a look-up leads out of here.
        Unknown = "unknown",
    }

    /// The state of one refund.
    pub enum RefundStatus {
        Pending = "pending",
        Submitted = "submitted",
        Succeeded = "succeeded",
        Failed = "failed",
        Cancelled = "cancelled",
        /// A gateway answer is missing: only a look-up leads out of here.
        Unknown = "unknown",
    }

    /// The state of one fulfillment: one parcel from one location.
    pub enum FulfillmentStatus {
        Allocated = "allocated",
        Labelled = "labelled",
        Shipped = "shipped",
        InTransit = "in_transit",
        Delivered = "delivered",
        /// Lost, damaged, refused or undeliverable.
        Exception = "exception",
        Cancelled = "cancelled",
    }

    /// The state of one return.
    pub enum ReturnStatus {
        Requested = "requested",
        Approved = "approved",
        Rejected = "rejected",
        InTransit = "in_transit",
        Received = "received",
        Inspected = "inspected",
        Refunded = "refunded",
        Cancelled = "cancelled",
    }

    /// The state of one exchange.
    pub enum ExchangeStatus {
        Requested = "requested",
        Approved = "approved",
        AwaitingReturn = "awaiting_return",
        Shipped = "shipped",
        Completed = "completed",
        Cancelled = "cancelled",
    }

    /// The state of one staff approval.
    pub enum ApprovalStatus {
        Waiting = "waiting",
        Approved = "approved",
        Rejected = "rejected",
        Withdrawn = "withdrawn",
        Expired = "expired",
        /// Spent by the one operation it was given for.
        Used = "used",
    }

    /// The state of one dispute that a bank opened.
    pub enum DisputeStatus {
        Open = "open",
        EvidenceSent = "evidence_sent",
        Won = "won",
        Lost = "lost",
        Accepted = "accepted",
    }

    /// Whose turn it is on a support ticket.
    pub enum TicketStatus {
        /// The shop's.
        Open = "open",
        /// The customer's.
        Pending = "pending",
        /// Passed to a team of people.
        Escalated = "escalated",
        Closed = "closed",
    }

    /// Whether a review can be seen.
    pub enum ReviewStatus {
        /// Nobody has looked at it yet.
        Pending = "pending",
        Published = "published",
        Hidden = "hidden",
        /// Not seen until somebody has looked more closely.
        Flagged = "flagged",
    }

    /// What became of an event on its way to a subscriber.
    pub enum DeliveryStatus {
        /// Not accepted yet; it will be sent again.
        Pending = "pending",
        Delivered = "delivered",
        /// Given up after too many tries.
        Failed = "failed",
        /// The endpoint was deleted before it was accepted.
        Cancelled = "cancelled",
    }

    /// Whether a product can be bought.
    pub enum ProductStatus {
        Draft = "draft",
        Published = "published",
        Archived = "archived",
    }

    /// The state of one cart.
    pub enum CartStatus {
        Open = "open",
        Ordered = "ordered",
        Abandoned = "abandoned",
    }

    /// The state of one hold on stock.
    pub enum ReservationStatus {
        Active = "active",
        Consumed = "consumed",
        Released = "released",
        Expired = "expired",
    }

    /// The state of units on their way from one location to another.
    pub enum TransferStatus {
        InTransit = "in_transit",
        /// Some arrived, and more are expected.
        PartiallyReceived = "partially_received",
        Received = "received",
    }

    /// The state of one gift card.
    pub enum GiftCardStatus {
        Active = "active",
        Disabled = "disabled",
        Spent = "spent",
    }

    /// Whether a promotion gives its discount.
    pub enum PromotionStatus {
        Active = "active",
        Disabled = "disabled",
    }

    /// Whether a customer may buy.
    pub enum CustomerStatus {
        Active = "active",
        Blocked = "blocked",
        Anonymized = "anonymized",
    }

    /// What one gateway call came to.
    pub enum AttemptOutcome {
        /// Written down before the call; no answer yet.
        Pending = "pending",
        Done = "done",
        Refused = "refused",
        /// The call may have landed: only a look-up by its key may follow.
        Unknown = "unknown",
        /// Nothing left the building; the same key may be used again.
        NotSent = "not_sent",
        /// The gateway has tombstoned the key: it can have no effect any more.
        Fenced = "fenced",
    }

    /// What one gateway call asks for.
    pub enum AttemptKind {
        Authorize = "authorize",
        Capture = "capture",
        Void = "void",
        Refund = "refund",
    }

    /// What a payment is made with.
    pub enum InstrumentKind {
        Card = "card",
        Paypal = "paypal",
        GiftCard = "gift_card",
        StoreCredit = "store_credit",
    }

    /// Why money goes back, one word for each refund operation.
    pub enum RefundKind {
        Unshipped = "unshipped",
        NoReturn = "no_return",
        Returned = "returned",
        ShippingFee = "shipping_fee",
        ShippingDifference = "shipping_difference",
        PriceAdjustment = "price_adjustment",
    }

    /// Where refunded money goes.
    pub enum RefundDestination {
        OriginalMethod = "original_method",
        StoreCredit = "store_credit",
        GiftCard = "gift_card",
    }
}
