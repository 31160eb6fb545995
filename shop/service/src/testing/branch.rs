//! A second store, for tests of what one brand or store sees of another.

use std::sync::Arc;

use sea_orm::{ActiveModelTrait, Set};
use shop_domain::governance::{Principal, Role, Scope};
use shop_domain::ids::{BrandId, LocationId, PrincipalId, StoreId};
use shop_domain::money::Currency;
use shop_domain::policy::Policy;
use shop_store::entities::{brands, locations, stores};

use super::TestShop;

/// A store with a location and a manager of its own.
pub struct Branch {
    pub brand: BrandId,
    pub store: StoreId,
    pub location: LocationId,
    pub manager: Arc<Principal>,
}

impl TestShop {
    /// Opens a store in Vienna under the brand of the first one.
    pub async fn branch(&self) -> Branch {
        self.open_store(self.brand).await
    }

    /// Opens a store in Vienna under a brand of its own.
    pub async fn other_brand(&self) -> Branch {
        let ctx = self.ctx(&self.admin);
        let tx = ctx.begin().await.unwrap();
        let brand = brands::ActiveModel {
            id: Set(ctx.id(BrandId::new)),
            name: Set("Meadow".into()),
            created_at: Set(ctx.now()),
        };
        let brand = brand.insert(&*tx).await.unwrap().id;
        tx.commit().await.unwrap();
        self.open_store(brand).await
    }

    /// Somebody who runs the first store, and sees no other.
    pub fn manager(&self) -> Arc<Principal> {
        let id = self.ctx(&self.admin).id(PrincipalId::new);
        Arc::new(Principal::human(id, "mia", Role::StoreManager, Scope::Store(self.store)))
    }

    async fn open_store(&self, brand: BrandId) -> Branch {
        let ctx = self.ctx(&self.admin);
        let tx = ctx.begin().await.unwrap();
        let store = stores::ActiveModel {
            id: Set(ctx.id(StoreId::new)),
            brand_id: Set(brand),
            name: Set("Vienna".into()),
            currency: Set(Currency::Eur),
            country: Set("AT".into()),
            policy: Set(Policy::default()),
            created_at: Set(ctx.now()),
            version: Set(1),
        };
        let store = store.insert(&*tx).await.unwrap().id;
        let location = locations::ActiveModel {
            id: Set(ctx.id(LocationId::new)),
            store_id: Set(store),
            name: Set("Cellar".into()),
            country: Set("AT".into()),
        };
        let location = location.insert(&*tx).await.unwrap().id;
        tx.commit().await.unwrap();
        let id = ctx.id(PrincipalId::new);
        let manager = Arc::new(Principal::human(id, "max", Role::StoreManager, Scope::Store(store)));
        Branch { brand, store, location, manager }
    }
}
