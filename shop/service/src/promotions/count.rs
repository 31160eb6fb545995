//! What promotions gave: counted with the order, given back with its end.

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use shop_domain::code::ErrorCode;
use shop_domain::ids::{OrderId, PromotionId};
use shop_store::entities::{order_promotions, promotions};

use super::offer::Applied;
use crate::error::{Error, Result};

/// Writes down what promotions take off an order, and counts it.
///
/// # Errors
/// When a promotion has been used up since it was priced.
pub(crate) async fn take(tx: &impl ConnectionTrait, order: OrderId, applied: &[Applied]) -> Result<()> {
    for Applied { promotion, coupon_id, discount_minor } in applied {
        count(tx, promotion.id, *discount_minor).await?;
        let row = order_promotions::ActiveModel {
            order_id: Set(order),
            promotion_id: Set(promotion.id),
            coupon_id: Set(*coupon_id),
            discount_minor: Set(*discount_minor),
        };
        row.insert(tx).await?;
    }
    Ok(())
}

/// Counts one use; one conditional update, so that limits hold whoever comes at the same time.
pub(crate) async fn count(tx: &impl ConnectionTrait, id: PromotionId, discount_minor: i64) -> Result<()> {
    use promotions::Column;
    let after = Expr::col(Column::SpentMinor).add(discount_minor);
    let changed = promotions::Entity::update_many()
        .col_expr(Column::Used, Expr::col(Column::Used).add(1))
        .col_expr(Column::SpentMinor, after.clone())
        .filter(Column::Id.eq(id))
        .filter(Column::UsageLimit.is_null().or(Expr::col(Column::Used).lt(Expr::col(Column::UsageLimit))))
        .filter(Column::BudgetMinor.is_null().or(after.lte(Expr::col(Column::BudgetMinor))))
        .exec(tx)
        .await?;
    if changed.rows_affected == 1 {
        return Ok(());
    }
    let detail = format!("promotion {id} has been used up since; look at the price again");
    Err(Error::new(ErrorCode::PriceChanged, detail))
}

/// Gives back what promotions took off an order that ends. What they took stays written down.
pub(crate) async fn give_back(tx: &impl ConnectionTrait, order: OrderId) -> Result<()> {
    use promotions::Column;
    let taken = order_promotions::Entity::find().filter(order_promotions::Column::OrderId.eq(order));
    for row in taken.all(tx).await? {
        promotions::Entity::update_many()
            .col_expr(Column::Used, Expr::col(Column::Used).sub(1))
            .col_expr(Column::SpentMinor, Expr::col(Column::SpentMinor).sub(row.discount_minor))
            .filter(Column::Id.eq(row.promotion_id))
            .exec(tx)
            .await?;
    }
    Ok(())
}
