use serde::{Deserialize, Serialize};
use shop_domain::ids::CustomerId;
use shop_domain::limits;
use shop_domain::reviews::{ReviewDecision, STARS};
use shop_domain::status::ReviewStatus;

use crate::error::{Error, Result};

/// What a buyer says about a product.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = CreateProductReview)]
#[serde(deny_unknown_fields)]
pub struct Create {
    /// Who says it; a shopper's own when absent.
    pub customer_id: Option<CustomerId>,
    #[schema(example = 5, minimum = 1, maximum = 5)]
    pub stars: i64,
    #[schema(example = "Keeps the tea warm", min_length = 1, max_length = 120)]
    pub title: String,
    #[schema(example = "Heavy, and the glaze is even.", min_length = 1, max_length = 4000)]
    pub text: String,
}

/// What becomes of a review.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ModerateReview)]
#[serde(deny_unknown_fields)]
pub struct Moderate {
    pub decision: ReviewDecision,
    /// Why, for other staff.
    #[schema(example = "Names another customer.", max_length = 500)]
    pub note: Option<String>,
}

/// The shop's public answer.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = ReplyToReview)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    #[schema(example = "Thank you! The lid is sold on its own, too.", min_length = 1, max_length = 4000)]
    pub text: String,
}

/// Which reviews of a product to list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Filter {
    /// In one state; shoppers see only what is published.
    pub status: Option<ReviewStatus>,
    /// With so many stars.
    #[param(minimum = 1, maximum = 5)]
    pub stars: Option<i64>,
}

pub(super) fn check_stars(stars: i64) -> Result<()> {
    if !STARS.contains(&stars) {
        let message = format!("a review gives {} to {} stars", STARS.start(), STARS.end());
        return Err(Error::invalid("/stars", message));
    }
    Ok(())
}

pub(super) fn check_note(note: Option<&str>) -> Result<()> {
    if note.is_some_and(|note| note.len() > limits::REASON_CHARS_MAX) {
        return Err(Error::invalid(
            "/note",
            format!("a note has at most {} characters", limits::REASON_CHARS_MAX),
        ));
    }
    Ok(())
}
