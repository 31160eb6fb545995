use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use shop_domain::ids::StoreId;
use shop_domain::limits;
use shop_domain::reports::{ReportGroup, StockGroup};

use crate::Ctx;
use crate::error::{Error, Result};

/// What a report covers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct Period {
    /// From this moment on; 30 days before `to` when absent.
    pub from: Option<DateTime<Utc>>,
    /// Up to this moment, which is not in it; now when absent.
    pub to: Option<DateTime<Utc>>,
    /// What one row stands for; a day in UTC when absent.
    pub group_by: Option<ReportGroup>,
    /// Of one store.
    pub store_id: Option<StoreId>,
}

/// Which stock to report on.
#[derive(Clone, Debug, Default, Serialize, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct StockFilter {
    /// What one row stands for; a store when absent.
    pub group_by: Option<StockGroup>,
    /// Of one store.
    pub store_id: Option<StoreId>,
    /// Free units up to which stock counts as low; 5 when absent.
    #[param(minimum = 0, example = 5)]
    pub low_at: Option<i64>,
}

/// A period, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) from: DateTime<Utc>,
    pub(super) to: DateTime<Utc>,
    pub(super) group: ReportGroup,
    pub(super) store: Option<StoreId>,
}

impl Span {
    pub(super) fn of(ctx: &Ctx, period: &Period) -> Result<Self> {
        let to = period.to.unwrap_or_else(|| ctx.now());
        let from = period.from.unwrap_or(to - TimeDelta::days(limits::REPORT_DAYS_DEFAULT));
        if from >= to {
            return Err(Error::invalid("/from", "from is before to"));
        }
        if to.signed_duration_since(from) > TimeDelta::days(limits::REPORT_DAYS_MAX) {
            let message = format!("a report covers at most {} days", limits::REPORT_DAYS_MAX);
            return Err(Error::invalid("/from", message));
        }
        let group = period.group_by.unwrap_or(ReportGroup::Day);
        Ok(Self { from, to, group, store: period.store_id })
    }
}
