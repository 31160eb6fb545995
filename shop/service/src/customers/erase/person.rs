use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_domain::address::Address;
use shop_domain::ids::{
    CartId, CustomerId, FulfillmentId, OrderId, PrincipalId, ReturnId, ReviewId, TicketId,
};
use shop_store::entities::{
    addresses, carts, customers, exchanges, fulfillments, orders, principals, returns, reviews, tickets,
};

use crate::error::Result;

/// Everything that is theirs, by id, and the words that name them.
pub(super) struct Person {
    /// Their account, and those that were folded into it.
    pub(super) customers: Vec<CustomerId>,
    /// Who signs in for them, their agents included.
    pub(super) principals: Vec<PrincipalId>,
    pub(super) orders: Vec<OrderId>,
    pub(super) carts: Vec<CartId>,
    pub(super) returns: Vec<ReturnId>,
    pub(super) parcels: Vec<FulfillmentId>,
    pub(super) tickets: Vec<TicketId>,
    pub(super) reviews: Vec<ReviewId>,
    /// By which other rows speak of them.
    pub(super) ids: Vec<String>,
    /// Names, addresses, mail and phone, in lower case.
    pub(super) words: Vec<String>,
}

/// Shorter words are part of too many others.
const WORD_CHARS_MIN: usize = 3;

impl Person {
    pub(super) async fn load(tx: &impl ConnectionTrait, id: CustomerId) -> Result<Self> {
        let accounts = accounts(tx, id).await?;
        let ids: Vec<CustomerId> = accounts.iter().map(|row| row.id).collect();
        let own =
            orders::Entity::find().filter(orders::Column::CustomerId.is_in(ids.clone())).all(tx).await?;
        let saved = addresses::Entity::find()
            .filter(addresses::Column::CustomerId.is_in(ids.clone()))
            .all(tx)
            .await?;
        let baskets =
            carts::Entity::find().filter(carts::Column::CustomerId.is_in(ids.clone())).all(tx).await?;
        let order_ids: Vec<OrderId> = own.iter().map(|row| row.id).collect();
        let parcels = fulfillments::Entity::find()
            .filter(fulfillments::Column::OrderId.is_in(order_ids.clone()))
            .all(tx)
            .await?;
        let sent_back =
            returns::Entity::find().filter(returns::Column::OrderId.is_in(order_ids.clone())).all(tx).await?;
        let swapped = exchanges::Entity::find()
            .filter(exchanges::Column::OrderId.is_in(order_ids.clone()))
            .all(tx)
            .await?;
        let cases =
            tickets::Entity::find().filter(tickets::Column::CustomerId.is_in(ids.clone())).all(tx).await?;
        let opinions =
            reviews::Entity::find().filter(reviews::Column::CustomerId.is_in(ids.clone())).all(tx).await?;
        let mut words = Words::default();
        for row in &accounts {
            words.add(&row.email);
            words.add(&row.first_name);
            words.add(&row.last_name);
            words.add(row.phone.as_deref().unwrap_or_default());
            words.add(row.external_id.as_deref().unwrap_or_default());
        }
        for order in &own {
            words.add(&order.contact_email);
            words.add(order.contact_phone.as_deref().unwrap_or_default());
        }
        let of_orders = own.iter().map(|row| &row.shipping_address);
        let of_carts = baskets.iter().filter_map(|row| row.shipping_address.as_ref());
        let of_parcels = parcels.iter().map(|row| &row.destination);
        for address in saved.iter().map(|row| &row.address).chain(of_orders).chain(of_carts).chain(of_parcels)
        {
            words.add_address(address);
        }
        let mut known: Vec<String> = ids.iter().map(ToString::to_string).collect();
        known.extend(order_ids.iter().map(ToString::to_string));
        known.extend(baskets.iter().map(|row| row.id.to_string()));
        known.extend(saved.iter().map(|row| row.id.to_string()));
        known.extend(parcels.iter().map(|row| row.id.to_string()));
        known.extend(sent_back.iter().map(|row| row.id.to_string()));
        known.extend(swapped.iter().map(|row| row.id.to_string()));
        known.extend(cases.iter().map(|row| row.id.to_string()));
        known.extend(opinions.iter().map(|row| row.id.to_string()));
        Ok(Self {
            principals: principals_of(tx, &ids).await?,
            customers: ids,
            orders: order_ids,
            carts: baskets.into_iter().map(|row| row.id).collect(),
            returns: sent_back.into_iter().map(|row| row.id).collect(),
            parcels: parcels.into_iter().map(|row| row.id).collect(),
            tickets: cases.into_iter().map(|row| row.id).collect(),
            reviews: opinions.into_iter().map(|row| row.id).collect(),
            ids: known,
            words: words.0,
        })
    }
}

/// The account and whatever was folded into it, also at second hand.
async fn accounts(tx: &impl ConnectionTrait, id: CustomerId) -> Result<Vec<customers::Model>> {
    let mut found: Vec<customers::Model> = customers::Entity::find_by_id(id).all(tx).await?;
    let mut newest = vec![id];
    while !newest.is_empty() {
        let folded =
            customers::Entity::find().filter(customers::Column::MergedInto.is_in(newest)).all(tx).await?;
        newest = folded.iter().map(|row| row.id).collect();
        found.extend(folded);
    }
    Ok(found)
}

async fn principals_of(tx: &impl ConnectionTrait, ids: &[CustomerId]) -> Result<Vec<PrincipalId>> {
    let own = principals::Entity::find().filter(principals::Column::CustomerId.is_in(ids.to_vec()));
    let own: Vec<PrincipalId> = own.all(tx).await?.into_iter().map(|row| row.id).collect();
    let agents = principals::Entity::find().filter(principals::Column::OnBehalfOf.is_in(own.clone()));
    let agents = agents.all(tx).await?.into_iter().map(|row| row.id);
    Ok(own.iter().copied().chain(agents).collect())
}

#[derive(Default)]
struct Words(Vec<String>);

impl Words {
    fn add(&mut self, text: &str) {
        let word = text.trim().to_lowercase();
        if word.chars().count() >= WORD_CHARS_MIN && !self.0.contains(&word) {
            self.0.push(word);
        }
    }

    fn add_address(&mut self, address: &Address) {
        for part in [&address.name, &address.line1, &address.line2, &address.postal_code] {
            self.add(part);
        }
    }
}
