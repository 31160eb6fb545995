use shop_domain::ids::{
    AddressId, CouponId, CustomerId, GiftCardId, PaymentMethodId, ProductId, StoreId, VariantId,
};
use shop_domain::money::Currency;
use shop_domain::status::InstrumentKind;

use crate::shipping::Rate;

/// Everything a buyer can choose from, for one wish. All amounts are in minor units of `currency`.
#[derive(Clone, Debug)]
pub struct Sheet {
    pub store_id: StoreId,
    pub customer_id: CustomerId,
    pub currency: Currency,
    /// What is wished for and exists, in the order of the wish.
    pub items: Vec<Item>,
    /// The address book, with what is delivered where.
    pub addresses: Vec<Address>,
    /// How the items can travel to the wished address, cheapest first; empty without one.
    pub shipping: Vec<Rate>,
    /// What it costs without a coupon, by the wished or else the cheapest method; `None` while that is not known.
    pub price: Option<Price>,
    /// The coupons that lower that price now.
    pub coupons: Vec<Coupon>,
    /// Why the wished coupon is not among them.
    pub coupon_refusal: Option<String>,
    pub instruments: Vec<Instrument>,
}

/// Units of one variant.
#[derive(Clone, Debug)]
pub struct Item {
    pub variant_id: VariantId,
    pub product_id: ProductId,
    pub sku: String,
    pub title: String,
    pub quantity: i64,
    pub unit_price_minor: i64,
    /// Whether it is sold at all.
    pub is_sold: bool,
    /// Units this buyer could have, those held for them included; `None` when stock is not counted.
    pub available: Option<i64>,
    /// Other variants of the product that could be had instead; only where this one cannot.
    pub alternatives: Vec<Alternative>,
}

impl Item {
    /// Whether the whole quantity could be bought now.
    #[must_use]
    pub fn is_available(&self) -> bool {
        self.is_sold && self.available.is_none_or(|units| units >= self.quantity)
    }
}

/// Another variant of the same product.
#[derive(Clone, Debug)]
pub struct Alternative {
    pub variant_id: VariantId,
    pub title: String,
    pub price_minor: i64,
    /// `None` when its stock is not counted.
    pub available: Option<i64>,
}

/// An entry of the address book.
#[derive(Clone, Debug)]
pub struct Address {
    pub id: AddressId,
    pub label: String,
    pub address: shop_domain::address::Address,
    pub is_default: bool,
    /// Whether anything carries these items there.
    pub is_deliverable: bool,
}

/// A coupon and what the whole would cost with it.
#[derive(Clone, Debug)]
pub struct Coupon {
    pub id: CouponId,
    pub code: String,
    /// What its promotion is called.
    pub label: String,
    pub price: Price,
}

/// What it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price {
    pub subtotal_minor: i64,
    pub discount_minor: i64,
    pub shipping_minor: i64,
    pub tax_minor: i64,
    pub total_minor: i64,
}

/// Something to pay with.
#[derive(Clone, Debug)]
pub struct Instrument {
    pub kind: InstrumentKind,
    /// A saved method; `None` for store credit.
    pub payment_method_id: Option<PaymentMethodId>,
    /// The card behind it, for gift cards.
    pub gift_card_id: Option<GiftCardId>,
    pub label: String,
    /// What can be spent; `None` where only the gateway knows.
    pub available_minor: Option<i64>,
    pub is_default: bool,
}
