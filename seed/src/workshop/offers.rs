//! Promotions and the codes that switch them on.

use chrono::{DateTime, TimeDelta, Utc};
use shop_domain::ids::{CouponId, PromotionId};
use shop_domain::promotions::PromotionKind;
use shop_domain::status::PromotionStatus;
use shop_store::entities::{coupons, promotions};

use crate::ground::Ground;

/// One offer and its code.
struct Offer {
    name: &'static str,
    code: &'static str,
    kind: PromotionKind,
    /// Ten thousandths for a percentage, minor units for an amount.
    value: i64,
    min_subtotal_minor: i64,
    /// Buy so many, get so many.
    units: (i64, i64),
    limit: Option<i64>,
    /// Uses of which no order is left to tell.
    used: i64,
    has_ended: bool,
}

const PLAIN: Offer = Offer {
    name: "",
    code: "",
    kind: PromotionKind::Percentage,
    value: 0,
    min_subtotal_minor: 0,
    units: (0, 0),
    limit: None,
    used: 0,
    has_ended: false,
};

const OFFERS: [Offer; 7] = [
    Offer { name: "Welcome", code: "WELCOME10", value: 1_000, ..PLAIN },
    Offer {
        name: "30 off from 300",
        code: "SAVE30",
        kind: PromotionKind::Fixed,
        value: 3_000,
        min_subtotal_minor: 30_000,
        ..PLAIN
    },
    Offer { name: "Free shipping", code: "FREESHIP", kind: PromotionKind::FreeShipping, ..PLAIN },
    Offer {
        name: "Three for two",
        code: "THREEFORTWO",
        kind: PromotionKind::BuyXGetY,
        units: (2, 1),
        ..PLAIN
    },
    Offer { name: "Only once", code: "ONCE20", value: 2_000, limit: Some(1), ..PLAIN },
    Offer { name: "The first hundred", code: "FIRST100", value: 1_500, limit: Some(100), used: 100, ..PLAIN },
    Offer { name: "Summer sale", code: "SUMMER25", value: 2_500, has_ended: true, ..PLAIN },
];

pub(super) fn build(ground: &mut Ground) -> Vec<(coupons::Model, promotions::Model)> {
    let made: Vec<_> = OFFERS.iter().map(|offer| make(ground, offer)).collect();
    ground.rows.promotions.extend(made.iter().map(|(_, promotion)| promotion.clone()));
    ground.rows.coupons.extend(made.iter().map(|(coupon, _)| coupon.clone()));
    made
}

fn make(ground: &Ground, offer: &Offer) -> (coupons::Model, promotions::Model) {
    let at: DateTime<Utc> = ground.now - TimeDelta::days(300);
    let ends_at = offer.has_ended.then(|| ground.now - TimeDelta::days(60));
    let promotion = promotions::Model {
        id: ground.draw.id(at, PromotionId::new),
        store_id: None,
        name: offer.name.to_owned(),
        kind: offer.kind,
        value: offer.value,
        min_subtotal_minor: offer.min_subtotal_minor,
        buy_quantity: offer.units.0,
        get_quantity: offer.units.1,
        is_automatic: false,
        collection_id: None,
        usage_limit: None,
        used: offer.used,
        budget_minor: None,
        spent_minor: 0,
        status: PromotionStatus::Active,
        starts_at: Some(at),
        ends_at,
        created_at: at,
        version: 1,
    };
    let coupon = coupons::Model {
        id: ground.draw.id(at, CouponId::new),
        promotion_id: promotion.id,
        code: offer.code.to_owned(),
        customer_id: None,
        usage_limit: offer.limit,
        used: offer.used,
        expires_at: ends_at,
        created_at: at,
    };
    (coupon, promotion)
}
