use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, Set};
use serde_json::json;
use shop_domain::ids::{CustomerId, StoreId, TaxRateId};
use shop_domain::limits;
use shop_domain::money::Bps;
use shop_domain::operations::operation;
use shop_store::entities::{tax_exemptions, tax_rates};

use super::input::{CreateRate, SetExemption, check_country};
use super::view::{Exemption, Rate};
use crate::error::{Error, Result};
use crate::start::Start;
use crate::{Ctx, Reply, customers, events, stores, text};

/// Adds a rate. What is quoted from its start on is taxed by it; orders that were placed are not.
///
/// # Errors
/// When the store is out of sight, a field is bad, or there is such a rate from that very time.
pub async fn create_rate(ctx: &Ctx, input: CreateRate) -> Result<Reply<Rate>> {
    let tx = match ctx.start(operation("create_tax_rate")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    let store = stores::choose(ctx, &*tx, input.store_id).await?;
    check_country(&input.country)?;
    if let Some(region) = &input.region {
        text::must_fit(region, limits::CODE_CHARS_MAX, "/region")?;
    }
    text::must_fit(&input.category, limits::CODE_CHARS_MAX, "/category")?;
    if !(0..=Bps::WHOLE.0).contains(&input.rate_bps) {
        return Err(Error::invalid("/rate_bps", "a rate is 0 to 10000 ten thousandths: 1900 is 19 %"));
    }
    let starts_at = input.starts_at.unwrap_or_else(|| ctx.now());
    if starts_at < ctx.now() {
        return Err(Error::invalid("/starts_at", "a rate begins now or later: what was sold keeps its tax"));
    }
    must_be_new(&*tx, store.id, &input, starts_at).await?;
    let row = tax_rates::ActiveModel {
        id: Set(ctx.id(TaxRateId::new)),
        store_id: Set(store.id),
        country: Set(input.country),
        region: Set(input.region),
        category: Set(input.category),
        rate_bps: Set(input.rate_bps),
        starts_at: Set(starts_at),
    };
    let row = row.insert(&*tx).await?;
    let data = json!({ "country": row.country, "category": row.category, "rate_bps": row.rate_bps });
    events::record(&*tx, ctx, "tax_rate.created", row.id, None, data).await?;
    tx.finish(ctx, row.id, Rate::from(row)).await
}

/// Of two rates from the same time nobody could say which counts.
async fn must_be_new(
    tx: &impl ConnectionTrait,
    store: StoreId,
    rate: &CreateRate,
    starts_at: DateTime<Utc>,
) -> Result<()> {
    use tax_rates::Column;
    let same = tax_rates::Entity::find()
        .filter(Column::StoreId.eq(store))
        .filter(Column::Country.eq(&rate.country))
        .filter(Column::Category.eq(&rate.category))
        .filter(Column::StartsAt.eq(starts_at))
        .all(tx)
        .await?;
    match same.iter().find(|other| other.region == rate.region) {
        None => Ok(()),
        Some(other) => {
            let detail = format!("rate {} begins at the same time; send another starts_at", other.id);
            Err(Error::precondition("tax_rate_exists", detail))
        }
    }
}

/// Records a customer's certificate of exemption in place of the one there is.
///
/// # Errors
/// When the customer is out of sight, the certificate has moved on, or a field is bad.
pub async fn set_exemption(ctx: &Ctx, id: CustomerId, input: SetExemption) -> Result<Reply<Exemption>> {
    let tx = match ctx.start(operation("set_customer_tax_exemption")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    customers::find(ctx, &*tx, id).await?;
    text::must_fit(&input.certificate, limits::CODE_CHARS_MAX, "/certificate")?;
    check_country(&input.country)?;
    if let Some(region) = &input.region {
        text::must_fit(region, limits::CODE_CHARS_MAX, "/region")?;
    }
    let before = tax_exemptions::Entity::find_by_id(id).one(&*tx).await?;
    let (created_at, version) = before.as_ref().map_or((ctx.now(), 0), |row| (row.created_at, row.version));
    ctx.must_match(version)?;
    let row = tax_exemptions::ActiveModel {
        customer_id: Set(id),
        certificate: Set(input.certificate),
        country: Set(input.country),
        region: Set(input.region),
        valid_until: Set(input.valid_until),
        created_at: Set(created_at),
        updated_at: Set(ctx.now()),
        version: Set(version + 1),
    };
    let row = match before {
        Some(_) => row.update(&*tx).await?,
        None => row.insert(&*tx).await?,
    };
    let data = json!({ "country": row.country, "region": row.region });
    events::record(&*tx, ctx, "customer.tax_exemption_set", id, None, data).await?;
    tx.finish(ctx, id, Exemption::new(row, ctx.now())).await
}
