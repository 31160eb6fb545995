//! Places on the way from a store to the tenant.

use sea_orm::{ConnectionTrait, EntityTrait};
use shop_domain::governance::{Owner, Scope, ScopeLevel};
use shop_domain::ids::{BrandId, StoreId};
use shop_store::entities::{brands, stores};

use crate::Ctx;
use crate::error::{Error, Result};

/// A scope, and the same as the owner of what lies in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) scope: Scope,
    pub(crate) owner: Owner,
}

/// The scope of two columns.
pub(super) const fn scope_of(brand: Option<BrandId>, store: Option<StoreId>) -> Scope {
    match (store, brand) {
        (Some(store), _) => Scope::Store(store),
        (None, Some(brand)) => Scope::Brand(brand),
        (None, None) => Scope::Tenant,
    }
}

/// The two columns of a scope that is not a customer's, as an owner.
pub(crate) const fn owner_of(brand: Option<BrandId>, store: Option<StoreId>) -> Owner {
    Owner { brand, store, customer: None }
}

/// The place that an input names.
///
/// # Errors
/// When ids and level do not fit, or the place is out of sight.
pub(super) async fn named(
    ctx: &Ctx,
    conn: &impl ConnectionTrait,
    level: ScopeLevel,
    (brand, store): (Option<BrandId>, Option<StoreId>),
    own: Option<Place>,
) -> Result<Place> {
    let place = match (level, brand, store) {
        (ScopeLevel::Tenant, None, None) => Place { scope: Scope::Tenant, owner: Owner::default() },
        (ScopeLevel::Brand, Some(id), None) => {
            let missing = || Error::not_found(format!("brand {id}"));
            let row = brands::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
            let owner = owner_of(Some(row.id), None);
            ctx.must_see(&owner, format!("brand {id}"))?;
            Place { scope: Scope::Brand(id), owner }
        }
        (ScopeLevel::Store, None, Some(id)) => {
            let missing = || Error::not_found(format!("store {id}"));
            let row = stores::Entity::find_by_id(id).one(conn).await?.ok_or_else(missing)?;
            let owner = owner_of(Some(row.brand_id), Some(row.id));
            ctx.must_see(&owner, format!("store {id}"))?;
            Place { scope: Scope::Store(id), owner }
        }
        (ScopeLevel::Own, None, None) => own
            .ok_or_else(|| Error::invalid("/scope", "somebody new works nowhere yet; say where they will"))?,
        (ScopeLevel::Brand, ..) => {
            return Err(Error::invalid("/brand_id", "scope brand needs brand_id alone"));
        }
        (ScopeLevel::Store, ..) => {
            return Err(Error::invalid("/store_id", "scope store needs store_id alone"));
        }
        (ScopeLevel::Tenant | ScopeLevel::Own, ..) => {
            return Err(Error::invalid(
                "/scope",
                format!("scope {level} takes neither brand_id nor store_id"),
            ));
        }
    };
    Ok(place)
}
