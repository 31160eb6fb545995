//! Connections. On SQLite there is one writer: more are no faster, and deferred ones fail when they upgrade.

use std::fs::{File, TryLockError};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sea_orm::{
    DatabaseConnection, DatabaseTransaction, DbErr, RuntimeErr, SqliteTransactionMode, SqlxSqliteConnector,
    TransactionOptions, TransactionTrait,
};
use sea_orm_migration::MigratorTrait;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};

use crate::migrations::Migrator;

/// Readers of a file database.
const READERS_MAX: u32 = 2;
const STATEMENT_CACHE: usize = 256;
/// 2 MiB a connection, in KiB as SQLite wants it.
const PAGE_CACHE: &str = "-2048";
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Where a world's rows are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Memory,
    File(PathBuf),
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the database {0} is in use by another process; stop that one, or name another file with --database"
    )]
    InUse(PathBuf),
    #[error("the database file {path} cannot be opened: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error(transparent)]
    Db(#[from] DbErr),
    #[error("the database cannot be opened: {0}")]
    Open(#[from] sqlx::Error),
    #[error("the snapshot is not a database: {0}")]
    Snapshot(String),
}

/// One world's database: a writer and, on a file, readers beside it.
#[derive(Debug)]
pub struct Db {
    writer: DatabaseConnection,
    reader: DatabaseConnection,
    pool: SqlitePool,
    /// Held as long as this process has the file.
    _lock: Option<File>,
}

/// A write transaction, begun IMMEDIATE. Dropped without [`Tx::commit`] it changes nothing.
#[derive(Debug)]
pub struct Tx {
    inner: DatabaseTransaction,
}

impl Db {
    /// Opens a database and brings its schema up to date.
    ///
    /// # Errors
    /// When another process has the file, or it is not a database.
    pub async fn open(place: &Place) -> Result<Self, StoreError> {
        let db = match place {
            Place::Memory => Self::memory().await?,
            Place::File(path) => Self::file(path).await?,
        };
        Migrator::up(&db.writer, None).await?;
        Ok(db)
    }

    /// A new database in memory from the bytes of a snapshot: the fastest way to a fresh world.
    ///
    /// # Errors
    /// When the bytes are not a database.
    pub async fn from_snapshot(bytes: &[u8]) -> Result<Self, StoreError> {
        let db = Self::memory().await?;
        db.restore(bytes).await?;
        Migrator::up(&db.writer, None).await?;
        Ok(db)
    }

    async fn memory() -> Result<Self, StoreError> {
        let options = options(SqliteConnectOptions::new().in_memory(true));
        let pool = pool_options(1).connect_with(options).await?;
        let writer = SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone());
        Ok(Self { reader: writer.clone(), writer, pool, _lock: None })
    }

    async fn file(path: &Path) -> Result<Self, StoreError> {
        let lock = lock(path)?;
        let options = options(SqliteConnectOptions::new().filename(path).create_if_missing(true))
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal);
        let pool = pool_options(1).connect_with(options.clone()).await?;
        let readers = pool_options(READERS_MAX).connect_lazy_with(options.pragma("query_only", "true"));
        Ok(Self {
            writer: SqlxSqliteConnector::from_sqlx_sqlite_pool(pool.clone()),
            reader: SqlxSqliteConnector::from_sqlx_sqlite_pool(readers),
            pool,
            _lock: Some(lock),
        })
    }

    /// For reads outside a transaction. On a world in memory this is the writer's own connection, so it waits
    /// while a transaction is open: never read here with a [`Tx`] in hand.
    #[must_use]
    pub fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }

    /// # Errors
    /// When the database does not answer.
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the one place that begins a transaction, IMMEDIATE"
    )]
    pub async fn begin(&self) -> Result<Tx, DbErr> {
        let options = TransactionOptions {
            isolation_level: None,
            access_mode: None,
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
        };
        Ok(Tx { inner: self.writer.begin_with_options(options).await? })
    }

    /// The whole database as bytes, consistent: no write is under way while it is taken.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn snapshot(&self) -> Result<Vec<u8>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        let mut bytes = connection.serialize(None).await?.to_vec();
        leave_wal(&mut bytes);
        Ok(bytes)
    }

    /// Replaces a database in memory by a snapshot.
    ///
    /// # Errors
    /// When the bytes are not a database; the old content is then gone from memory.
    pub async fn restore(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let buffer = bytes.try_into().map_err(|_| StoreError::Snapshot("it is empty".into()))?;
        let mut connection = self.pool.acquire().await?;
        sqlx::Connection::clear_cached_statements(&mut *connection).await?;
        connection.deserialize(None, buffer, false).await?;
        Ok(())
    }

    /// Closes all connections; a file database is checkpointed by that.
    pub async fn close(self) {
        let _ = self.reader.close().await;
        let _ = self.writer.close().await;
    }
}

impl Tx {
    /// # Errors
    /// When the commit failed; nothing of the transaction is then in the database.
    pub async fn commit(self) -> Result<(), DbErr> {
        self.inner.commit().await
    }
}

impl Deref for Tx {
    type Target = DatabaseTransaction;

    fn deref(&self) -> &Self::Target {
        &self.inner
    }
}

fn options(options: SqliteConnectOptions) -> SqliteConnectOptions {
    options
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE)
        .pragma("cache_size", PAGE_CACHE)
}

/// A file's header says that it is used with a write-ahead log, which a database in memory cannot have. The bytes hold
/// what was in the log already, so they may say that there is none (file format §1.3.3).
fn leave_wal(bytes: &mut [u8]) {
    if let Some(versions) = bytes.get_mut(18..20) {
        versions.fill(1);
    }
}

/// Connections live as long as the world: one that is reaped would take a database in memory with it.
fn pool_options(max: u32) -> SqlitePoolOptions {
    SqlitePoolOptions::new()
        .max_connections(max)
        .idle_timeout(None)
        .max_lifetime(None)
        .test_before_acquire(false)
}

/// One process a file: two would keep two ideas of what is in flight.
fn lock(path: &Path) -> Result<File, StoreError> {
    let io = |source| StoreError::Io { path: path.to_owned(), source };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(io)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file =
        File::options().create(true).truncate(false).write(true).open(PathBuf::from(name)).map_err(io)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(io(source)),
    }
}

/// The database was busy and the same transaction may be tried again.
#[must_use]
pub fn is_busy(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "5" | "6" | "261" | "517" | "40001" | "40P01"))
}

/// A CHECK constraint said no.
#[must_use]
pub fn is_check_violation(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "275" | "23514"))
}

/// A row with this key exists.
#[must_use]
pub fn is_unique_violation(error: &DbErr) -> bool {
    code(error).is_some_and(|code| matches!(code.as_str(), "1555" | "2067" | "23505"))
}

fn code(error: &DbErr) -> Option<String> {
    let (DbErr::Exec(RuntimeErr::SqlxError(cause)) | DbErr::Query(RuntimeErr::SqlxError(cause))) = error
    else {
        return None;
    };
    cause.as_database_error()?.code().map(|code| code.into_owned())
}

#[cfg(test)]
mod tests {
    use sea_orm::{ActiveModelTrait, ConnectionTrait, EntityTrait, Set};

    use super::*;
    use crate::entities::{counters, settings};

    async fn count(db: &Db, name: &str, value: i64) {
        let tx = db.begin().await.unwrap();
        counters::ActiveModel { name: Set(name.into()), value: Set(value) }.insert(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    #[tokio::test]
    async fn a_snapshot_makes_an_equal_and_independent_database() {
        let db = Db::open(&Place::Memory).await.unwrap();
        count(&db, "orders", 3).await;
        let copy = Db::from_snapshot(&db.snapshot().await.unwrap()).await.unwrap();
        count(&copy, "returns", 1).await;
        assert_eq!(counters::Entity::find().all(copy.reader()).await.unwrap().len(), 2);
        assert_eq!(counters::Entity::find().all(db.reader()).await.unwrap().len(), 1);
        copy.restore(&db.snapshot().await.unwrap()).await.unwrap();
        assert_eq!(counters::Entity::find().all(copy.reader()).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_file_has_one_process() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("shop.db"));
        let db = Db::open(&place).await.unwrap();
        let second = Db::open(&place).await.unwrap_err();
        assert!(second.to_string().contains("in use by another process"), "{second}");
        count(&db, "orders", 1).await;
        assert_eq!(counters::Entity::find().all(db.reader()).await.unwrap().len(), 1);
        let copy = Db::from_snapshot(&db.snapshot().await.unwrap()).await.unwrap();
        count(&copy, "returns", 1).await;
        assert_eq!(counters::Entity::find().all(copy.reader()).await.unwrap().len(), 2);
        db.close().await;
        let again = Db::open(&place).await.unwrap();
        assert_eq!(counters::Entity::find().all(again.reader()).await.unwrap().len(), 1);
    }

    #[tokio::test]
    async fn a_dropped_transaction_changes_nothing() {
        let db = Db::open(&Place::Memory).await.unwrap();
        let tx = db.begin().await.unwrap();
        settings::ActiveModel { name: Set("a".into()), value: Set("b".into()) }.insert(&*tx).await.unwrap();
        drop(tx);
        assert!(settings::Entity::find().all(db.reader()).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn constraint_violations_are_told_apart() {
        let db = Db::open(&Place::Memory).await.unwrap();
        count(&db, "orders", 3).await;
        let tx = db.begin().await.unwrap();
        let twice = counters::ActiveModel { name: Set("orders".into()), value: Set(1) }
            .insert(&*tx)
            .await
            .unwrap_err();
        assert!(is_unique_violation(&twice) && !is_check_violation(&twice));
        let below = tx
            .execute_unprepared("INSERT INTO credit_accounts (customer_id, currency, balance_minor, held_minor) VALUES ('c', 'EUR', -1, 0)")
            .await
            .unwrap_err();
        assert!(is_check_violation(&below), "{below:?}");
    }
}
