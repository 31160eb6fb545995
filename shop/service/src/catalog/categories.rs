//! The category tree: what products are in, and what somebody has made for them.

use std::collections::BTreeMap;

use sea_orm::sea_query::ExprTrait as _;
use sea_orm::{ActiveModelTrait, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect, Set};
use serde_json::json;
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::{categories, products};

use super::input::CreateCategory;
use super::read::in_sight;
use super::view::Category;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::start::Start;
use crate::{Ctx, Reply, events, text};

/// What stands between the parts of a category's path.
const PATH_SEPARATOR: char = '/';

/// The category tree, by path.
///
/// # Errors
/// When the caller may not, or the page is bad.
pub async fn list_categories(ctx: &Ctx, page: PageQuery) -> Result<Page<Category>> {
    ctx.may(operation("list_categories"))?;
    let limit = page.limit()?;
    let counted: Vec<(String, i64)> = products::Entity::find()
        .filter(in_sight(ctx))
        .select_only()
        .column(products::Column::Category)
        .column_as(products::Column::Id.count(), "products")
        .group_by(products::Column::Category)
        .into_tuple()
        .all(ctx.read()?)
        .await?;
    let made: Vec<String> = categories::Entity::find()
        .select_only()
        .column(categories::Column::Path)
        .into_tuple()
        .all(ctx.read()?)
        .await?;
    let mut tree: BTreeMap<String, i64> = made.into_iter().map(|path| (path, 0)).collect();
    for (path, count) in counted {
        // A category without products of its own is there because of those below it.
        let mut rest = path.as_str();
        while let Some((parent, _)) = rest.rsplit_once(PATH_SEPARATOR) {
            tree.entry(parent.to_owned()).or_default();
            rest = parent;
        }
        *tree.entry(path).or_default() += count;
    }
    let after = page.after::<String>()?;
    let entries = tree
        .into_iter()
        .filter(|(path, _)| after.as_ref().is_none_or(|after| path > after))
        .map(|(path, count)| category(path, count))
        .collect();
    Ok(Page::cut(entries, limit, |entry: &Category| entry.path.clone()))
}

fn category(path: String, product_count: i64) -> Category {
    let (parent, name) = match path.rsplit_once(PATH_SEPARATOR) {
        Some((parent, name)) => (Some(parent.to_owned()), name.to_owned()),
        None => (None, path.clone()),
    };
    Category { path, name, parent, product_count }
}

/// Adds a category under a parent, or at the root.
///
/// # Errors
/// When the name is bad, the parent is not there, or the category is.
pub async fn create_category(ctx: &Ctx, input: CreateCategory) -> Result<Reply<Category>> {
    let tx = match ctx.start(operation("create_category")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    text::must_fit(&input.name, limits::CODE_CHARS_MAX, "/name")?;
    if input.name.contains(PATH_SEPARATOR) {
        return Err(Error::invalid("/name", "a name is one part of the path; name the part above as parent"));
    }
    let path = match &input.parent {
        None => input.name.trim().to_owned(),
        Some(parent) => {
            must_exist(&*tx, parent, "/parent").await?;
            format!("{parent}{PATH_SEPARATOR}{}", input.name.trim())
        }
    };
    text::must_fit(&path, limits::NAME_CHARS_MAX, "/name")?;
    if exists(&*tx, &path).await? {
        let detail = format!("there is a category {path} already; use it");
        return Err(Error::precondition("category_exists", detail));
    }
    let row = categories::ActiveModel { path: Set(path.clone()), created_at: Set(ctx.now()) };
    row.insert(&*tx).await?;
    events::record(&*tx, ctx, "category.created", &path, None, json!({ "path": path })).await?;
    let view = category(path.clone(), 0);
    tx.finish(ctx, path, view).await
}

/// Refuses a path that is no category.
pub(super) async fn must_exist(tx: &impl ConnectionTrait, path: &str, pointer: &str) -> Result<()> {
    if exists(tx, path).await? {
        return Ok(());
    }
    let message =
        format!("there is no category {path}; see list_categories, or make it with create_category");
    Err(Error::invalid(pointer, message))
}

/// Whether somebody made it, or a product is in it or below it.
async fn exists(tx: &impl ConnectionTrait, path: &str) -> Result<bool> {
    let below = format!("{path}{PATH_SEPARATOR}");
    let is_here = products::Column::Category.eq(path).or(products::Column::Category.starts_with(below));
    let used = products::Entity::find().filter(is_here).limit(1).one(tx).await?;
    let made = categories::Entity::find_by_id(path.to_owned()).one(tx).await?;
    Ok(used.is_some() || made.is_some())
}
