//! Units of order lines, as parcels, returns, exchanges and replacements name them.

use serde::{Deserialize, Serialize};
use shop_domain::ids::OrderLineId;
use shop_domain::limits;
use shop_store::entities::order_lines;

use crate::error::{Error, Result};

/// Units of one order line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct LineUnits {
    /// A line of the order.
    pub line_id: OrderLineId,
    /// How many units of it.
    #[schema(example = 1, minimum = 1, maximum = 999)]
    pub quantity: i64,
}

impl LineUnits {
    pub(crate) fn pair(&self) -> (OrderLineId, i64) {
        (self.line_id, self.quantity)
    }
}

/// The lines that were named with their units, or all that is free of all lines. `free` says how many units of a
/// line there are to have, and `what` what they must be.
///
/// # Errors
/// When a line is not of the order, is named twice, or has fewer units; or when nothing is free at all.
pub(crate) fn pick(
    rows: &[order_lines::Model],
    wanted: Option<&[LineUnits]>,
    free: impl Fn(&order_lines::Model) -> i64,
    what: &str,
) -> Result<Vec<(order_lines::Model, i64)>> {
    let Some(wanted) = wanted else {
        let all: Vec<_> =
            rows.iter().map(|row| (row.clone(), free(row))).filter(|(_, units)| *units > 0).collect();
        if all.is_empty() {
            return Err(Error::precondition("nothing_left", format!("no units of this order are {what}")));
        }
        return Ok(all);
    };
    if wanted.is_empty() || wanted.len() > limits::LINES_MAX {
        return Err(Error::invalid("/lines", format!("name 1 to {} lines", limits::LINES_MAX)));
    }
    let mut picked: Vec<(order_lines::Model, i64)> = Vec::with_capacity(wanted.len());
    for (at, LineUnits { line_id, quantity }) in wanted.iter().enumerate() {
        let bad_line =
            |why: &str| Error::invalid(format!("/lines/{at}/line_id"), format!("line {line_id} {why}"));
        let row = rows.iter().find(|row| row.id == *line_id);
        let row = row.ok_or_else(|| bad_line("is not of this order"))?;
        if picked.iter().any(|(known, _)| known.id == row.id) {
            return Err(bad_line("is named twice; name it once with all its units"));
        }
        let units = free(row);
        if *quantity < 1 || *quantity > units {
            let message = format!("{units} units of {} are {what}; ask for 1 to that many", row.title);
            return Err(Error::invalid(format!("/lines/{at}/quantity"), message));
        }
        picked.push((row.clone(), *quantity));
    }
    Ok(picked)
}
