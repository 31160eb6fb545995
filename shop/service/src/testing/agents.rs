//! Software that acts for people.

use std::sync::Arc;

use sea_orm::{ActiveModelTrait, Set};
use shop_domain::governance::{Principal, Scope};
use shop_domain::ids::PrincipalId;
use shop_store::entities::principals;

use super::TestShop;

impl TestShop {
    /// A new agent that acts for a person.
    pub async fn agent_for(&self, person: &Principal) -> Arc<Principal> {
        let id = PrincipalId::new(self.shop.world.ids.next("agent"));
        let agent = person.agent(id, format!("agent of {}", person.name));
        let (store_id, customer_id) = match agent.scope {
            Scope::Tenant | Scope::Brand(_) => (None, None),
            Scope::Store(store) => (Some(store), None),
            Scope::Customer(customer) => (None, Some(customer)),
        };
        let row = principals::ActiveModel {
            id: Set(id),
            name: Set(agent.name.clone()),
            role: Set(agent.role),
            token: Set(format!("token-{id}")),
            is_agent: Set(true),
            on_behalf_of: Set(Some(person.id)),
            brand_id: Set(None),
            store_id: Set(store_id),
            customer_id: Set(customer_id),
            created_at: Set(self.shop.world.clock.now()),
            deactivated_at: Set(None),
        };
        let tx = self.shop.db.begin().await.unwrap();
        row.insert(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        Arc::new(agent)
    }
}
