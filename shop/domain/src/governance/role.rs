//! Which role holds which capability: one table, read by rows of people and columns of permissions.

use super::Capability;
use crate::words::words;

words! {
    /// The standing of a principal.
    pub enum Role {
        /// A customer of the shop.
        Shopper = "shopper",
        SupportAgent = "support_agent",
        SupportLead = "support_lead",
        StoreManager = "store_manager",
        BrandManager = "brand_manager",
        Finance = "finance",
        /// Reads everything, writes nothing.
        Auditor = "auditor",
        Admin = "admin",
        /// Knows who it is and may do nothing.
        None = "none",
    }
}

use Role::{Admin, Auditor, BrandManager, Finance, Shopper, StoreManager, SupportAgent, SupportLead};

/// Reading what a shopper may see of their own, and staff of their stores.
const EVERYONE: &[Role] =
    &[Shopper, SupportAgent, SupportLead, StoreManager, BrandManager, Finance, Auditor, Admin];
/// What shoppers do for themselves and staff do for them.
const SERVICE: &[Role] = &[Shopper, SupportAgent, SupportLead, StoreManager, BrandManager, Admin];
/// The daily work of support.
const SUPPORT: &[Role] = &[SupportAgent, SupportLead, StoreManager, BrandManager, Admin];
/// Who signs off what others ask for.
const LEADS: &[Role] = &[SupportLead, StoreManager, BrandManager, Admin];
/// Running a store.
const MANAGERS: &[Role] = &[StoreManager, BrandManager, Admin];
/// Running a brand.
const BRAND: &[Role] = &[BrandManager, Admin];
/// Looking at how stores are run.
const OVERSIGHT: &[Role] = &[StoreManager, BrandManager, Finance, Auditor, Admin];
/// Money that no order flow moves.
const FINANCE: &[Role] = &[Finance, Admin];
/// Looking at the books.
const BOOKS: &[Role] = &[Finance, Auditor, Admin];
/// Looking at who did what.
const AUDIT: &[Role] = &[BrandManager, Finance, Auditor, Admin];

impl Capability {
    /// The roles that hold this capability.
    #[must_use]
    pub const fn holders(self) -> &'static [Role] {
        use Capability as C;
        match self {
            C::CatalogRead
            | C::InventoryRead
            | C::PricingRead
            | C::PromotionsRead
            | C::CartsRead
            | C::CustomersRead
            | C::OrdersRead
            | C::PaymentMethodsRead
            | C::StoreCreditRead
            | C::GiftCardsRead
            | C::PaymentsRead
            | C::RefundsRead
            | C::ShippingRead
            | C::FulfillmentRead
            | C::ReturnsRead
            | C::ExchangesRead
            | C::SupportRead
            | C::ApprovalsRead
            | C::TaxRead
            | C::ReviewsRead
            | C::OrgRead => EVERYONE,
            C::CatalogWrite | C::PricingWrite | C::PromotionsWrite | C::ShippingWrite => MANAGERS,
            C::InventoryWrite
            | C::CartsWrite
            | C::OrdersWrite
            | C::CustomersWrite
            | C::PaymentMethodsWrite
            | C::GiftCardsWrite
            | C::OrdersNotify
            | C::OrdersEdit
            | C::PaymentsWrite
            | C::RefundsWrite
            | C::FulfillmentWrite
            | C::ReturnsWrite
            | C::ExchangesWrite
            | C::SupportWrite
            | C::ApprovalsRequest
            | C::ReviewsWrite => SERVICE,
            C::CustomersErase | C::WebhooksWrite | C::TaxWrite | C::StaffWrite | C::OrgWrite => BRAND,
            C::StoreCreditWrite | C::ApprovalsDecide | C::ReviewsModerate => LEADS,
            C::PaymentsOffline | C::DisputesWrite => FINANCE,
            C::DisputesRead | C::ReportsFinance => BOOKS,
            C::ReturnsApprove | C::ExchangesApprove | C::OrdersNotes => SUPPORT,
            C::WebhooksRead | C::StaffRead | C::ReportsRead => OVERSIGHT,
            C::EventsRead | C::AuditRead => AUDIT,
        }
    }
}

impl Role {
    /// Whether a member of staff can be given it: a shopper is a customer, and nobody is made a nobody.
    #[must_use]
    pub const fn is_staffs(self) -> bool {
        match self {
            Self::Shopper | Self::None => false,
            Self::SupportAgent
            | Self::SupportLead
            | Self::StoreManager
            | Self::BrandManager
            | Self::Finance
            | Self::Auditor
            | Self::Admin => true,
        }
    }

    /// Whether the role holds a capability.
    #[must_use]
    pub fn has(self, capability: Capability) -> bool {
        capability.holders().contains(&self)
    }

    /// Everything the role holds.
    pub fn capabilities(self) -> impl Iterator<Item = Capability> {
        Capability::ALL.iter().copied().filter(move |capability| self.has(*capability))
    }
}
