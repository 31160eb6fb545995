//! A world as one portable file: a tar archive of `meta.json`, `shop.db` and `gateway.jsonl`, which other tools can
//! read as what they are.

use std::io::Read as _;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use shop_world::clock::Reading;
use twinshop_seed::{Demo, Template};

use super::{OpenWorld, Refusal};

/// The shape of the archive.
const FORMAT: u32 = 1;
const META: &str = "meta.json";
const DATABASE: &str = "shop.db";
const BOOKS: &str = "gateway.jsonl";

/// What a world is besides its rows and books.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    format: u32,
    /// What it was called.
    name: String,
    pub(super) seed: u64,
    /// Its last boot: whoever goes on from here counts above it.
    pub(super) boot: u64,
    pub(super) clock: Reading,
}

pub(super) struct Snapshot {
    pub(super) meta: Meta,
    pub(super) template: Template,
}

impl Snapshot {
    /// Rows first, then books: so the gateway knows at least what the shop does, as after a crash, and what was in
    /// flight is settled by a look-up. The other way round the shop would know of money that nobody took.
    pub(super) async fn of(open: &OpenWorld) -> Result<Self, Refusal> {
        let account = open.account.as_ref().ok_or(Refusal::GatewayElsewhere)?;
        let world = &open.shop.world;
        let clock = world.clock.reading();
        let meta =
            Meta { format: FORMAT, name: world.name.clone(), seed: world.seed, boot: world.boot, clock };
        let database = open.shop.db.snapshot().await?;
        let gateway_ledger = account.snapshot().context("reading the gateway's books")?;
        Ok(Self { meta, template: Template { database, gateway_ledger, demo: Demo::default() } })
    }

    pub(super) fn encode(&self) -> anyhow::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(Vec::new());
        let meta = serde_json::to_vec_pretty(&self.meta)?;
        let parts =
            [(META, &meta), (DATABASE, &self.template.database), (BOOKS, &self.template.gateway_ledger)];
        for (name, bytes) in parts {
            let mut header = tar::Header::new_ustar();
            header.set_size(u64::try_from(bytes.len())?);
            header.set_mode(0o644);
            archive.append_data(&mut header, name, bytes.as_slice())?;
        }
        Ok(archive.into_inner()?)
    }

    pub(super) fn decode(bytes: &[u8]) -> Result<Self, Refusal> {
        let no = |cause: &dyn std::fmt::Display| Refusal::Snapshot(cause.to_string());
        let (mut meta, mut database, mut books) = (None, None, None);
        for entry in tar::Archive::new(bytes).entries().map_err(|cause| no(&cause))? {
            let mut entry = entry.map_err(|cause| no(&cause))?;
            let path = entry.path().map_err(|cause| no(&cause))?.into_owned();
            let mut part = Vec::new();
            entry.read_to_end(&mut part).map_err(|cause| no(&cause))?;
            match path.to_str() {
                Some(META) => meta = Some(part),
                Some(DATABASE) => database = Some(part),
                Some(BOOKS) => books = Some(part),
                Some(_) | None => return Err(no(&format!("{} does not belong there", path.display()))),
            }
        }
        let missing = |name: &str| no(&format!("it has no {name}"));
        let meta = meta.ok_or_else(|| missing(META))?;
        let meta: Meta = serde_json::from_slice(&meta).map_err(|cause| no(&cause))?;
        if meta.format != FORMAT {
            return Err(no(&format!("its format is {}, and this shop reads {FORMAT}", meta.format)));
        }
        let database = database.ok_or_else(|| missing(DATABASE))?;
        let gateway_ledger = books.ok_or_else(|| missing(BOOKS))?;
        Ok(Self { meta, template: Template { database, gateway_ledger, demo: Demo::default() } })
    }
}
