//! Orders whose goods have left, or have arrived.

use shop_domain::ids::{OrderId, VariantId};

use super::TestShop;
use crate::{fulfillments, orders};

impl TestShop {
    /// A paid order of Ada's in one parcel that has left by the standard method.
    pub async fn shipped(&self, lines: &[(VariantId, i64)]) -> (orders::View, fulfillments::View) {
        let order = self.paid(lines).await;
        let ctx = self.at(&self.lead, order.version);
        let parcel = fulfillments::create(&ctx, order.id, Default::default()).await.unwrap().view;
        let ctx = self.at(&self.lead, parcel.version);
        let parcel = fulfillments::ship(&ctx, parcel.id, Default::default()).await.unwrap().view;
        (self.order(order.id).await, parcel)
    }

    /// A paid order of Ada's that has arrived.
    pub async fn delivered(&self, lines: &[(VariantId, i64)]) -> orders::View {
        let (order, parcel) = self.shipped(lines).await;
        fulfillments::deliver(&self.at(&self.lead, parcel.version), parcel.id).await.unwrap();
        self.order(order.id).await
    }

    /// An order as it is now.
    pub async fn order(&self, id: OrderId) -> orders::View {
        orders::get(&self.ctx(&self.admin), id).await.unwrap()
    }
}
