//! Bearer tokens and whom they stand for.

use std::sync::Arc;

use hmac::{Hmac, KeyInit, Mac};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use sha2::Sha256;
use shop_domain::code::ErrorCode;
use shop_domain::governance::{OnBehalfOf, Principal, Scope};
use shop_domain::ids::PrincipalId;
use shop_store::entities::{principals, settings};

use crate::error::{Error, Result};
use crate::shop::Shop;
use crate::staff;

/// The setting that names the principal of a loopback call without a token.
pub const DEMO_PRINCIPAL: &str = "demo_principal";

/// Who a token stands for. Without one, on this machine only, the demo shopper.
///
/// # Errors
/// `authentication_required` for an unknown or missing token.
pub async fn authenticate(shop: &Shop, token: Option<&str>, is_loopback: bool) -> Result<Arc<Principal>> {
    let row = match token {
        Some(token) => match verified_by_door(&shop.settings.door_secret, token) {
            Some(id) => principals::Entity::find_by_id(id).one(shop.db.reader()).await?,
            None => {
                let known = principals::Entity::find().filter(principals::Column::Token.eq(token));
                known.one(shop.db.reader()).await?
            }
        },
        None if is_loopback => demo(shop).await?,
        None => None,
    };
    let row = row.ok_or_else(|| {
        Error::new(
            ErrorCode::AuthenticationRequired,
            "send `Authorization: Bearer` with one of the tokens of the ready line",
        )
    })?;
    active(shop, row).await
}

/// A principal by name, for stdio's `--as`.
///
/// # Errors
/// `authentication_required`, naming those there are.
pub async fn by_name(shop: &Shop, name: &str) -> Result<Arc<Principal>> {
    let row =
        principals::Entity::find().filter(principals::Column::Name.eq(name)).one(shop.db.reader()).await?;
    match row {
        Some(row) => active(shop, row).await,
        None => {
            let names: Vec<String> = tokens(shop).await?.into_iter().map(|(name, _)| name).collect();
            let detail = format!("there is no principal {name}; there are {}", names.join(", "));
            Err(Error::new(ErrorCode::AuthenticationRequired, detail))
        }
    }
}

/// A principal by id, for work that goes on when its caller is gone; `None` when there is no such one. What somebody
/// began while they could is brought to its end, also when they were deactivated since.
///
/// # Errors
/// When the database does not answer.
pub async fn by_id(shop: &Shop, id: PrincipalId) -> Result<Option<Arc<Principal>>> {
    match principals::Entity::find_by_id(id).one(shop.db.reader()).await? {
        Some(row) => from_row(shop.db.reader(), row).await.map(|principal| Some(Arc::new(principal))),
        None => Ok(None),
    }
}

/// All names with their tokens, for the ready line of a demo shop.
///
/// # Errors
/// When the database does not answer.
pub async fn tokens(shop: &Shop) -> Result<Vec<(String, String)>> {
    let rows = principals::Entity::find().filter(principals::Column::DeactivatedAt.is_null());
    let rows = rows.all(shop.db.reader()).await?;
    Ok(rows.into_iter().map(|row| (row.name, row.token)).collect())
}

/// A row as a caller, unless it or the person behind it was deactivated.
async fn active(shop: &Shop, row: principals::Model) -> Result<Arc<Principal>> {
    let conn = shop.db.reader();
    let person = person_of(conn, &row).await?;
    if [Some(&row), person.as_ref()].into_iter().flatten().any(|row| row.deactivated_at.is_some()) {
        let detail = "this token was revoked; ask somebody who manages staff for a new invitation";
        return Err(Error::new(ErrorCode::AuthenticationRequired, detail).with_rule("token_revoked"));
    }
    standing(conn, row, person).await.map(Arc::new)
}

async fn demo(shop: &Shop) -> Result<Option<principals::Model>> {
    let Some(name) = settings::Entity::find_by_id(DEMO_PRINCIPAL.to_owned()).one(shop.db.reader()).await?
    else {
        return Ok(None);
    };
    Ok(principals::Entity::find()
        .filter(principals::Column::Name.eq(name.value))
        .one(shop.db.reader())
        .await?)
}

/// A row as a principal. An agent has the role and the scope of the person it acts for.
pub(crate) async fn from_row(conn: &impl ConnectionTrait, row: principals::Model) -> Result<Principal> {
    let person = person_of(conn, &row).await?;
    standing(conn, row, person).await
}

async fn person_of(
    conn: &impl ConnectionTrait,
    row: &principals::Model,
) -> Result<Option<principals::Model>> {
    match row.on_behalf_of {
        Some(id) => Ok(principals::Entity::find_by_id(id).one(conn).await?),
        None => Ok(None),
    }
}

async fn standing(
    conn: &impl ConnectionTrait,
    row: principals::Model,
    person: Option<principals::Model>,
) -> Result<Principal> {
    let standing = person.as_ref().unwrap_or(&row);
    let grants = match standing.customer_id {
        Some(_) => Vec::new(),
        None => staff::grants_of(conn, standing.id).await?,
    };
    let scope = match (standing.customer_id, standing.store_id, standing.brand_id) {
        (Some(customer), _, _) => Scope::Customer(customer),
        (None, Some(store), _) => Scope::Store(store),
        (None, None, Some(brand)) => Scope::Brand(brand),
        (None, None, None) => Scope::Tenant,
    };
    Ok(Principal {
        id: row.id,
        role: standing.role,
        on_behalf_of: person.as_ref().map(|person| OnBehalfOf {
            id: person.id,
            name: person.name.clone(),
            role: person.role,
        }),
        is_agent: row.is_agent,
        name: row.name,
        scope,
        home: scope,
        grants,
    })
}

/// Begins a token that a door of this shop makes for a caller it has verified itself.
const DOOR_PREFIX: &str = "door.";

/// What a door sends instead of the caller's own token: whom it has verified, sealed with the shop's secret.
#[must_use]
pub fn door_token(secret: &str, principal: PrincipalId) -> String {
    format!("{DOOR_PREFIX}{principal}.{}", hex::encode(seal(secret, principal).finalize().into_bytes()))
}

/// The principal of a door's token, if the seal is right.
fn verified_by_door(secret: &str, token: &str) -> Option<PrincipalId> {
    let (id, tag) = token.strip_prefix(DOOR_PREFIX)?.split_once('.')?;
    let id: PrincipalId = id.parse().ok()?;
    seal(secret, id).verify_slice(&hex::decode(tag).ok()?).ok().map(|()| id)
}

#[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
fn seal(secret: &str, principal: PrincipalId) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(principal.to_string().as_bytes());
    mac
}
