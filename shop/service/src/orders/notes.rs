use chrono::{DateTime, Utc};
use sea_orm::{ActiveModelTrait, ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, Set};
use serde::{Deserialize, Serialize};
use shop_domain::ids::{NoteId, OrderId, PrincipalId};
use shop_domain::limits;
use shop_domain::operations::operation;
use shop_store::entities::order_notes;

use super::read::find;
use crate::error::{Error, Result};
use crate::page::{Page, PageQuery};
use crate::start::Start;
use crate::{Ctx, Reply};

/// What staff wrote down about an order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OrderNote)]
pub struct Note {
    pub id: NoteId,
    pub order_id: OrderId,
    pub author_id: PrincipalId,
    #[schema(example = "sam")]
    pub author_name: String,
    #[schema(example = "Called about the colour; will send a photo.")]
    pub text: String,
    pub created_at: DateTime<Utc>,
}

/// A new internal note.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = AddOrderNote)]
#[serde(deny_unknown_fields)]
pub struct AddNote {
    /// The customer never sees it.
    #[schema(example = "Called about the colour; will send a photo.", min_length = 1, max_length = 4000)]
    pub text: String,
}

/// Internal notes of an order, oldest first.
///
/// # Errors
/// When the order is out of sight, or the page is bad.
pub async fn notes(ctx: &Ctx, id: OrderId, page: PageQuery) -> Result<Page<Note>> {
    ctx.may(operation("list_order_notes"))?;
    find(ctx, ctx.read()?, id).await?;
    let limit = page.limit()?;
    let mut query = order_notes::Entity::find().filter(order_notes::Column::OrderId.eq(id));
    if let Some(after) = page.after::<NoteId>()? {
        query = query.filter(order_notes::Column::Id.gt(after));
    }
    let rows = query.order_by_asc(order_notes::Column::Id).limit(limit + 1).all(ctx.read()?).await?;
    Ok(Page::cut(rows, limit, |row| row.id.to_string()).map(Note::from))
}

/// Writes a note down. It changes nothing about the order and tells the customer nothing, so it is no event either.
///
/// # Errors
/// When the order is out of sight, or the text is empty or too long.
pub async fn add_note(ctx: &Ctx, id: OrderId, input: AddNote) -> Result<Reply<Note>> {
    let tx = match ctx.start(operation("add_order_note")).await? {
        Start::Go(tx) => tx,
        Start::Replay(reply) => return Ok(reply),
    };
    find(ctx, &*tx, id).await?;
    if input.text.trim().is_empty() || input.text.len() > limits::TEXT_CHARS_MAX {
        let message = format!("a note has 1 to {} characters", limits::TEXT_CHARS_MAX);
        return Err(Error::invalid("/text", message));
    }
    let row = order_notes::ActiveModel {
        id: Set(ctx.id(NoteId::new)),
        order_id: Set(id),
        author_id: Set(ctx.principal.id),
        author_name: Set(ctx.principal.name.clone()),
        text: Set(input.text),
        created_at: Set(ctx.now()),
    };
    let row = row.insert(&*tx).await?;
    tx.finish(ctx, id, Note::from(row)).await
}

impl From<order_notes::Model> for Note {
    fn from(row: order_notes::Model) -> Self {
        Self {
            id: row.id,
            order_id: row.order_id,
            author_id: row.author_id,
            author_name: row.author_name,
            text: row.text,
            created_at: row.created_at,
        }
    }
}
