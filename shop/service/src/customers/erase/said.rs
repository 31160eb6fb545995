//! What the person and the shop said to each other: tickets and reviews.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter};
use shop_store::entities::{reviews, ticket_messages, tickets};

use super::ERASED;
use super::person::Person;
use crate::error::Result;

/// The cases and the stars stay, for they are counted; the words go.
pub(super) async fn erase(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    erase_tickets(tx, person).await?;
    erase_reviews(tx, person).await
}

async fn erase_tickets(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    tickets::Entity::update_many()
        .col_expr(tickets::Column::Subject, Expr::value(ERASED))
        .filter(tickets::Column::Id.is_in(person.tickets.clone()))
        .exec(tx)
        .await?;
    ticket_messages::Entity::update_many()
        .col_expr(ticket_messages::Column::Text, Expr::value(ERASED))
        .filter(ticket_messages::Column::TicketId.is_in(person.tickets.clone()))
        .exec(tx)
        .await?;
    ticket_messages::Entity::update_many()
        .col_expr(ticket_messages::Column::AuthorName, Expr::value(ERASED))
        .filter(ticket_messages::Column::AuthorId.is_in(person.principals.clone()))
        .exec(tx)
        .await?;
    Ok(())
}

async fn erase_reviews(tx: &impl ConnectionTrait, person: &Person) -> Result<()> {
    let own = || reviews::Column::Id.is_in(person.reviews.clone());
    reviews::Entity::update_many()
        .col_expr(reviews::Column::AuthorName, Expr::value(ERASED))
        .col_expr(reviews::Column::Title, Expr::value(ERASED))
        .col_expr(reviews::Column::Text, Expr::value(ERASED))
        .filter(own())
        .exec(tx)
        .await?;
    for about in [reviews::Column::Reply, reviews::Column::ModerationNote] {
        reviews::Entity::update_many()
            .col_expr(about, Expr::value(ERASED))
            .filter(own())
            .filter(about.is_not_null())
            .exec(tx)
            .await?;
    }
    Ok(())
}
