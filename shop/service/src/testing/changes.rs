//! What changes around orders: policies, prices, and what the books say in the end.

use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, Set};
use shop_domain::ids::VariantId;
use shop_domain::policy::Policy;
use shop_store::entities::{events, stores, variants};

use super::TestShop;
use crate::reports;

impl TestShop {
    /// The store decides by another policy from now on.
    pub async fn decide_by(&self, policy: Policy) {
        let store = stores::Entity::find_by_id(self.store).one(self.shop.db.reader()).await.unwrap();
        let mut store = store.unwrap().into_active_model();
        store.policy = Set(policy);
        let tx = self.shop.db.begin().await.unwrap();
        store.update(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// A variant costs something else from now on.
    pub async fn reprice(&self, variant: VariantId, price_minor: i64) {
        let row = variants::Entity::find_by_id(variant).one(self.shop.db.reader()).await.unwrap();
        let mut row = row.unwrap().into_active_model();
        row.price_minor = Set(price_minor);
        let tx = self.shop.db.begin().await.unwrap();
        row.update(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// How often something happened, by the log of events.
    pub async fn happened(&self, kind: &str) -> usize {
        let of_kind = events::Entity::find().filter(events::Column::Kind.eq(kind));
        of_kind.all(self.shop.db.reader()).await.unwrap().len()
    }

    /// Every invariant of rows, and the shop's books against the gateway's own; empty when all is well.
    pub async fn flaws(&self) -> Vec<String> {
        let mut flaws = reports::check(&self.shop).await.unwrap();
        let charges = self.gateway.truth().unwrap().charges.into_iter();
        let charges =
            charges.map(|it| (it.payment, it.reference, it.captured_minor - it.refunded_minor)).collect();
        let differences = reports::reconcile_rows(&self.shop, charges).await.unwrap();
        flaws.extend(differences.iter().map(|difference| format!("{difference:?}")));
        flaws
    }
}
