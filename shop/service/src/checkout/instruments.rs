use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder};
use shop_domain::ids::{CustomerId, GiftCardId};
use shop_domain::money::Currency;
use shop_domain::status::{GiftCardStatus, InstrumentKind};
use shop_store::entities::{credit_accounts, gift_cards, payment_methods};

use super::view::Instrument;
use crate::error::Result;

/// What a customer can pay with in one currency: saved methods, store credit, and gift cards of their own that are no
/// saved method yet.
pub(super) async fn instruments(
    conn: &impl ConnectionTrait,
    customer: CustomerId,
    currency: Currency,
) -> Result<Vec<Instrument>> {
    let methods = payment_methods::Entity::find()
        .filter(payment_methods::Column::CustomerId.eq(customer))
        .filter(payment_methods::Column::DetachedAt.is_null())
        .order_by_desc(payment_methods::Column::IsDefault)
        .order_by_asc(payment_methods::Column::Id)
        .all(conn)
        .await?;
    let named: Vec<GiftCardId> = methods.iter().filter_map(|method| method.gift_card_id).collect();
    let cards = gift_cards::Entity::find()
        .filter(gift_cards::Column::Currency.eq(currency))
        .filter(gift_cards::Column::Status.eq(GiftCardStatus::Active))
        .filter(gift_cards::Column::Id.is_in(named.clone()).or(gift_cards::Column::CustomerId.eq(customer)))
        .order_by_asc(gift_cards::Column::Id)
        .all(conn)
        .await?;
    let left = |id: GiftCardId| {
        cards.iter().find(|card| card.id == id).map(|card| card.balance_minor - card.held_minor)
    };
    let mut all = Vec::new();
    if let Some(account) = credit_accounts::Entity::find_by_id((customer, currency)).one(conn).await? {
        all.push(Instrument {
            kind: InstrumentKind::StoreCredit,
            payment_method_id: None,
            gift_card_id: None,
            label: "Account balance".to_owned(),
            available_minor: Some(account.balance_minor - account.held_minor),
            is_default: false,
        });
    }
    for method in methods {
        // A gift card in another currency, or one that was disabled, pays for nothing here.
        let available_minor = method.gift_card_id.map(|card| left(card).unwrap_or(0));
        all.push(Instrument {
            kind: method.kind,
            payment_method_id: Some(method.id),
            gift_card_id: method.gift_card_id,
            label: method.label,
            available_minor,
            is_default: method.is_default,
        });
    }
    for card in cards.iter().filter(|card| !named.contains(&card.id)) {
        all.push(Instrument {
            kind: InstrumentKind::GiftCard,
            payment_method_id: None,
            gift_card_id: Some(card.id),
            label: format!("Gift card ending in {}", card.last4),
            available_minor: Some(card.balance_minor - card.held_minor),
            is_default: false,
        });
    }
    Ok(all)
}
