//! Worlds come, go back, are copied and go.

use std::sync::Arc;

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shop_service::worlds::forget_boots;
use shop_store::{Db, Rows};
use shop_world::Clock;
use twinshop_seed::{Profile, Template};
use utoipa::ToSchema;

use super::snapshot::Snapshot;
use super::{Ground, MAIN, OpenWorld, Opening, Origin, Refusal, Start, Templates, Worlds};

/// Worlds open at once.
pub(super) const WORLDS_MAX: usize = 256;
/// Letters of a name.
pub(super) const NAME_MAX: usize = 64;
/// Seeded shops kept to make worlds from.
const TEMPLATES_MAX: usize = 8;

/// A world to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewWorld {
    pub(crate) name: String,
    /// `workshop` or `empty`; that of the server when absent.
    pub(crate) profile: Option<String>,
    /// The number its rows, ids and chance are drawn from; that of the server when absent.
    pub(crate) seed: Option<u64>,
    /// Time stands still here; as the server was started, when absent.
    pub(crate) frozen_at: Option<DateTime<Utc>>,
}

impl NewWorld {
    pub(crate) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), profile: None, seed: None, frozen_at: None }
    }
}

/// One row that is not the same in two worlds; `null` where it is not there at all.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Difference {
    pub(crate) table: String,
    /// Its primary key.
    pub(crate) key: Value,
    /// The row in the world that was asked.
    pub(crate) here: Value,
    /// The row in the other world, or in the snapshot.
    pub(crate) there: Value,
}

impl Worlds {
    /// The seeded shop that worlds of this profile and number start from.
    ///
    /// # Errors
    /// When the profile is too large for memory.
    pub(crate) async fn template(&self, profile: Profile, seed: u64) -> anyhow::Result<Arc<Template>> {
        kept(&mut *self.changing.lock().await, profile, seed).await
    }

    fn standing(&self) -> Result<&Ground, Refusal> {
        let ground = self.ground.get().context("worlds have nothing to stand on yet")?;
        if ground.settings.gateway_url.is_some() { Err(Refusal::GatewayElsewhere) } else { Ok(ground) }
    }

    pub(crate) fn known(&self, name: &str) -> Result<OpenWorld, Refusal> {
        self.get(name).ok_or_else(|| Refusal::Unknown(name.to_owned()))
    }

    fn is_free(&self, name: &str) -> Result<(), Refusal> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || name.len() > NAME_MAX || !name.bytes().all(is_plain) {
            return Err(Refusal::Name(name.to_owned()));
        }
        if self.get(name).is_some() {
            return Err(Refusal::Exists(name.to_owned()));
        }
        if self.all().len() >= WORLDS_MAX { Err(Refusal::TooMany) } else { Ok(()) }
    }

    /// A new world in memory from a seeded shop.
    pub(crate) async fn create(&self, new: NewWorld) -> Result<OpenWorld, Refusal> {
        let ground = self.standing()?;
        let mut templates = self.changing.lock().await;
        self.is_free(&new.name)?;
        let seed = new.seed.unwrap_or(ground.settings.seed);
        let profile = match &new.profile {
            Some(name) => name.parse().map_err(|cause: anyhow::Error| Refusal::Profile(cause.to_string()))?,
            None => ground.settings.seed_profile,
        };
        let start = Start::Memory(kept(&mut templates, profile, seed).await?);
        let frozen = new.frozen_at.or(ground.settings.frozen_at);
        let clock = frozen.map_or_else(Clock::running, Clock::frozen);
        Ok(self.open(Opening::new(&new.name, start, clock, seed)).await?)
    }

    /// Back to what a world began with: rows, books and clock; no faults, an empty journal, and ids of a new boot.
    pub(crate) async fn reset(&self, name: &str) -> Result<OpenWorld, Refusal> {
        self.standing()?;
        let _changing = self.changing.lock().await;
        let open = self.known(name)?;
        let origin = origin(&open)?;
        let (clock, start) = (Clock::from_reading(origin.clock), Start::Memory(Arc::clone(&origin.template)));
        let mut opening = Opening::new(name, start, clock, origin.seed);
        opening.above_boot = open.shop.world.boot;
        opening.origin = Some(origin);
        Ok(self.open(opening).await?)
    }

    /// A copy in memory under another name, which begins with no faults and an empty journal.
    pub(crate) async fn fork(&self, name: &str, copy: &str) -> Result<OpenWorld, Refusal> {
        self.standing()?;
        let _changing = self.changing.lock().await;
        let source = self.known(name)?;
        self.is_free(copy)?;
        let snapshot = Snapshot::of(&source).await?;
        self.open_snapshot(copy, snapshot, None).await
    }

    pub(crate) async fn snapshot(&self, name: &str) -> Result<Vec<u8>, Refusal> {
        Ok(Snapshot::of(&self.known(name)?).await?.encode()?)
    }

    /// Rows, books and clock of a snapshot, together or not at all; a name that is free becomes a new world.
    pub(crate) async fn restore(&self, name: &str, bytes: &[u8]) -> Result<OpenWorld, Refusal> {
        self.standing()?;
        let snapshot = Snapshot::decode(bytes)?;
        let _changing = self.changing.lock().await;
        let before = self.get(name);
        match &before {
            Some(open) => drop(origin(open)?),
            None => self.is_free(name)?,
        }
        let restored = self.open_snapshot(name, snapshot, before.as_ref()).await;
        // What cannot be opened was no shop's, whatever the archive says.
        match restored {
            Err(Refusal::Failed(cause)) => Err(Refusal::Snapshot(format!("{cause:#}"))),
            opened => opened,
        }
    }

    async fn open_snapshot(
        &self,
        name: &str,
        snapshot: Snapshot,
        before: Option<&OpenWorld>,
    ) -> Result<OpenWorld, Refusal> {
        let Snapshot { meta, template } = snapshot;
        let clock = Clock::from_reading(meta.clock);
        let mut opening = Opening::new(name, Start::Memory(Arc::new(template)), clock, meta.seed);
        opening.above_boot = before.map_or(meta.boot, |open| open.shop.world.boot.max(meta.boot));
        opening.origin = before.and_then(|open| open.origin.clone());
        Ok(self.open(opening).await?)
    }

    pub(crate) async fn delete(&self, name: &str) -> Result<(), Refusal> {
        let _changing = self.changing.lock().await;
        if name == MAIN {
            return Err(Refusal::Main);
        }
        self.known(name)?;
        self.close(name);
        Ok(())
    }

    /// Rows that differ between two worlds.
    pub(crate) async fn diff(&self, name: &str, other: &str) -> Result<Vec<Difference>, Refusal> {
        let (here, there) = (self.known(name)?, self.known(other)?);
        Ok(differences(here.shop.db.rows().await?, there.shop.db.rows().await?))
    }

    /// Rows that differ between a world and a snapshot.
    pub(crate) async fn diff_snapshot(&self, name: &str, bytes: &[u8]) -> Result<Vec<Difference>, Refusal> {
        let here = self.known(name)?;
        let there = Db::from_snapshot(&Snapshot::decode(bytes)?.template.database).await;
        let there = there.map_err(|cause| Refusal::Snapshot(cause.to_string()))?;
        let found = differences(here.shop.db.rows().await?, there.rows().await?);
        there.close().await;
        Ok(found)
    }
}

/// What a world in memory goes back to.
fn origin(open: &OpenWorld) -> Result<Arc<Origin>, Refusal> {
    open.origin.clone().ok_or_else(|| Refusal::InFile(open.shop.world.name.clone()))
}

/// A seeded shop, made once.
async fn kept(templates: &mut Templates, profile: Profile, seed: u64) -> anyhow::Result<Arc<Template>> {
    if let Some((.., made)) = templates.iter().find(|(of, number, _)| *of == profile && *number == seed) {
        return Ok(Arc::clone(made));
    }
    let made = Arc::new(twinshop_seed::template(profile, seed).await?);
    if templates.len() >= TEMPLATES_MAX {
        templates.remove(0);
    }
    templates.push((profile, seed, Arc::clone(&made)));
    Ok(made)
}

fn differences(mut here: Rows, mut there: Rows) -> Vec<Difference> {
    forget_boots(&mut here);
    forget_boots(&mut there);
    let mut found = Vec::new();
    for (table, rows) in &here {
        let others = there.remove(table).unwrap_or_default();
        for (key, row) in rows.iter().filter(|(key, row)| others.get(*key) != Some(row)) {
            found.push(difference(table, key, Some(row), others.get(key)));
        }
        for (key, row) in others.iter().filter(|(key, _)| !rows.contains_key(*key)) {
            found.push(difference(table, key, None, Some(row)));
        }
    }
    for (table, rows) in there {
        found.extend(rows.iter().map(|(key, row)| difference(&table, key, None, Some(row))));
    }
    found
}

fn difference(table: &str, key: &str, here: Option<&String>, there: Option<&String>) -> Difference {
    let json = |text: &String| serde_json::from_str(text).unwrap_or(Value::Null);
    Difference {
        table: table.to_owned(),
        key: json(&key.to_owned()),
        here: here.map_or(Value::Null, json),
        there: there.map_or(Value::Null, json),
    }
}
