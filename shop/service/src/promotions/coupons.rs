//! Codes that switch a promotion on, made by the hundred or one for everybody.

use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use serde_json::json;
use shop_domain::ids::{CouponId, PromotionId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_domain::status::PromotionStatus;
use shop_store::entities::{coupons, promotions};

use super::input::{Codes, CreateCoupons, check_count, normalized};
use super::read::find_own;
use super::view::{Coupon, Coupons};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events, text};

/// Makes codes for a promotion.
///
/// # Errors
/// When it or the customer is out of sight, it needs no code, or a code is taken or bad.
pub async fn create_coupons(ctx: &Ctx, id: PromotionId, input: CreateCoupons) -> Result<Reply<Coupons>> {
    let tx = match ctx.start(operation("create_coupons")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let promotion = find_own(ctx, &*tx, id).await?;
    ctx.must_match(promotion.version)?;
    must_need_codes(&promotion)?;
    if let Some(customer) = input.customer_id {
        customers::find(ctx, &*tx, customer).await?;
    }
    if input.expires_at.is_some_and(|at| at <= ctx.now()) {
        return Err(Error::invalid("/expires_at", "a code works until a time that has not passed"));
    }
    let (codes, usage_limit) = match input.codes {
        Codes::SingleUse { count, prefix } => (unguessable(ctx, count, prefix)?, Some(1)),
        Codes::Shared { code, usage_limit } => {
            if let Some(limit) = usage_limit {
                check_count(limit, "/codes/usage_limit")?;
            }
            let code = normalized(&code, "/codes/code")?;
            must_be_free(&*tx, &code).await?;
            (vec![code], usage_limit)
        }
    };
    let mut made = Vec::with_capacity(codes.len());
    for code in codes {
        let row = coupons::ActiveModel {
            id: Set(ctx.id(CouponId::new)),
            promotion_id: Set(id),
            code: Set(code),
            customer_id: Set(input.customer_id),
            usage_limit: Set(usage_limit),
            used: Set(0),
            expires_at: Set(input.expires_at),
            created_at: Set(ctx.now()),
        };
        made.push(Coupon::from(row.insert(&*tx).await?));
    }
    events::record(&*tx, ctx, "promotion.coupons_created", id, None, json!({ "count": made.len() })).await?;
    let view = Coupons { promotion_id: id, coupons: made };
    tx.finish(ctx, id, view).await
}

fn must_need_codes(promotion: &promotions::Model) -> Result<()> {
    let (id, status) = (promotion.id, promotion.status);
    if promotion.is_automatic {
        let detail = format!("promotion {id} applies by itself and needs no code");
        return Err(Error::precondition("promotion_is_automatic", detail));
    }
    if status == PromotionStatus::Disabled {
        let detail = format!("promotion {id} is switched off; a code of it would never work");
        return Err(Error::precondition("promotion_disabled", detail));
    }
    Ok(())
}

fn unguessable(ctx: &Ctx, count: i64, prefix: Option<String>) -> Result<Vec<String>> {
    let most = i64::from(limits::COUPONS_PER_REQUEST_MAX);
    if !(1..=most).contains(&count) {
        return Err(Error::invalid("/codes/count", format!("make 1 to {most} codes at a time")));
    }
    let prefix = match prefix {
        Some(prefix) => format!("{}-", normalized(&prefix, "/codes/prefix")?),
        None => String::new(),
    };
    // Room for the part that is chance.
    if prefix.len() > limits::CODE_CHARS_MAX / 2 {
        return Err(Error::invalid("/codes/prefix", "a prefix has at most 31 characters"));
    }
    Ok((0..count).map(|_| format!("{prefix}{}", text::unguessable(ctx, "coupon_code", &[18, 22]))).collect())
}

/// A code names one coupon of the whole shop.
async fn must_be_free(tx: &impl ConnectionTrait, code: &str) -> Result<()> {
    let other = coupons::Entity::find().filter(coupons::Column::Code.eq(code)).one(tx).await?;
    match other {
        None => Ok(()),
        Some(_) => {
            let message = "this code exists already; choose another one";
            Err(Error::invalid("/codes/code", message).with_rule("code_taken"))
        }
    }
}
