//! The ledger file: append-only, one JSON line per effect, durable before anyone is told.
//!
//! A line counts once its newline is there. A torn last line is what a crash leaves of an effect that nobody was
//! told of; it is cut off when the file is opened. Anything else that cannot be read is an error, never skipped.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use shop_gateway::wire::ledger::{self, Line};
use thiserror::Error;

/// Why the books cannot be opened or written.
#[derive(Debug, Error)]
pub enum LedgerError {
    #[error("cannot use the ledger file")]
    Io(#[from] io::Error),
    #[error("the ledger file {0} is in use by another process")]
    InUse(PathBuf),
    #[error("line {line} of the ledger cannot be read")]
    Unreadable { line: usize, source: serde_json::Error },
    #[error("a line cannot be written as JSON")]
    Unwritable(#[source] serde_json::Error),
    #[error("ledger entry {seq} does not follow from the entries before it: {reason}")]
    Inconsistent { seq: u64, reason: &'static str },
    #[error("an earlier write failed and could not be taken back; open the ledger again")]
    Broken,
}

/// Where lines are kept. `append` returns only when the bytes are durable.
pub(crate) trait Store: Send {
    fn read(&mut self) -> io::Result<Vec<u8>>;
    fn append(&mut self, bytes: &[u8]) -> io::Result<()>;
    fn truncate(&mut self, len: u64) -> io::Result<()>;
    /// All or nothing.
    fn replace(&mut self, bytes: &[u8]) -> io::Result<()>;
}

/// The books of one account, as bytes.
pub struct LedgerFile {
    store: Box<dyn Store>,
    /// The bytes that count; the store holds no others, unless it is broken.
    len: u64,
    is_broken: bool,
}

impl LedgerFile {
    /// Books that live as long as the process.
    #[must_use]
    pub fn memory() -> Self {
        Self::from_bytes(Vec::new())
    }

    /// Books in memory that begin with a snapshot.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self::on(Box::new(Memory { bytes }))
    }

    /// Books in a file, made if need be, locked against every other process.
    ///
    /// # Errors
    /// When the file cannot be opened, or another process has it.
    pub fn at(path: &Path) -> Result<Self, LedgerError> {
        Ok(Self::on(Box::new(Disk::open(path)?)))
    }

    pub(crate) fn on(store: Box<dyn Store>) -> Self {
        Self { store, len: 0, is_broken: false }
    }

    pub(crate) const fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// All lines; cuts a torn last one off.
    pub(crate) fn read(&mut self) -> Result<Vec<Line>, LedgerError> {
        let bytes = self.store.read()?;
        let (lines, whole) = parse(&bytes)?;
        if whole < bytes.len() {
            tracing::warn!(bytes = bytes.len() - whole, "cut a torn last line off the gateway's ledger");
            self.store.truncate(in_u64(whole))?;
        }
        self.len = in_u64(whole);
        Ok(lines)
    }

    /// Adds a line, durably. After an error the books are as before, or refuse all further use.
    pub(crate) fn append(&mut self, line: &Line) -> Result<(), LedgerError> {
        if self.is_broken {
            return Err(LedgerError::Broken);
        }
        let bytes = ledger::encode(line).map_err(LedgerError::Unwritable)?;
        if let Err(error) = self.store.append(&bytes) {
            // Some of it may have been written. It has no right to be found later.
            self.is_broken = self.store.truncate(self.len).is_err();
            return Err(error.into());
        }
        self.len += in_u64(bytes.len());
        Ok(())
    }

    pub(crate) fn snapshot(&mut self) -> Result<Vec<u8>, LedgerError> {
        let mut bytes = self.store.read()?;
        bytes.truncate(usize::try_from(self.len).unwrap_or(usize::MAX));
        Ok(bytes)
    }

    /// Replaces everything, with bytes that were parsed before.
    pub(crate) fn replace(&mut self, bytes: &[u8]) -> Result<(), LedgerError> {
        self.store.replace(bytes)?;
        self.len = in_u64(bytes.len());
        self.is_broken = false;
        Ok(())
    }
}

/// The lines in these bytes, and how many of the bytes they are.
pub(crate) fn parse(bytes: &[u8]) -> Result<(Vec<Line>, usize), LedgerError> {
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let (counted, _torn) = bytes.split_at(whole);
    let lines = counted
        .split_inclusive(|byte| *byte == b'\n')
        .enumerate()
        .map(|(index, line)| {
            serde_json::from_slice(line).map_err(|source| LedgerError::Unreadable { line: index + 1, source })
        })
        .collect::<Result<_, _>>()?;
    Ok((lines, whole))
}

fn in_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

struct Memory {
    bytes: Vec<u8>,
}

impl Store for Memory {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        Ok(self.bytes.clone())
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes = bytes.to_vec();
        Ok(())
    }
}

struct Disk {
    file: File,
    path: PathBuf,
}

impl Disk {
    fn open(path: &Path) -> Result<Self, LedgerError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(LedgerError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
        let disk = Self { file, path: path.to_owned() };
        disk.sync_folder()?;
        Ok(disk)
    }

    /// A new or renamed file is durable only when its folder is.
    fn sync_folder(&self) -> io::Result<()> {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => File::open(folder)?.sync_all(),
            Some(_) | None => File::open(".")?.sync_all(),
        }
    }
}

impl Store for Disk {
    fn read(&mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.flush()?;
        self.file.sync_data()
    }

    fn truncate(&mut self, len: u64) -> io::Result<()> {
        self.file.set_len(len)?;
        self.file.sync_all()
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        let beside = self.path.with_extension("new");
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&beside)?;
        file.set_len(0)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        file.try_lock()?;
        fs::rename(&beside, &self.path)?;
        self.file = file;
        self.sync_folder()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_at_a_time_may_have_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("main.jsonl");
        let first = LedgerFile::at(&path).unwrap();
        assert!(matches!(LedgerFile::at(&path), Err(LedgerError::InUse(_))));
        drop(first);
        assert!(LedgerFile::at(&path).is_ok());
    }

    #[test]
    fn only_a_torn_last_line_is_forgiven() {
        let line = r#"{"seq":1,"at":"2026-01-15T12:00:00Z","key":"k","effect":{"kind":"fenced"}}"#;
        let torn = format!("{line}\n{}", &line[..20]);
        assert!(
            matches!(parse(torn.as_bytes()), Ok((lines, whole)) if lines.len() == 1 && whole == line.len() + 1)
        );
        // Without its newline the line is torn, even if it happens to be whole JSON.
        assert!(matches!(parse(line.as_bytes()), Ok((lines, 0)) if lines.is_empty()));
        let garbled = format!("{}\n{line}\n", &line[..20]);
        assert!(matches!(parse(garbled.as_bytes()), Err(LedgerError::Unreadable { line: 1, .. })));
    }
}
