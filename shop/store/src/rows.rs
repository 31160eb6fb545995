//! Every row of every table as text: what a grader or a diff compares.
//!
//! It names no table: the database is asked which there are, so a new table is compared from its first day.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DbBackend, DbErr, QueryResult, Statement};

use crate::connect::{Db, StoreError};

/// Table → primary key → the row as a JSON object.
pub type Rows = BTreeMap<String, BTreeMap<String, String>>;

/// Tables, without SQLite's own and the list of migrations.
const TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'seaql_migrations' ORDER BY name";

impl Db {
    /// All rows, read in one transaction's time on a world that nobody writes to.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn rows(&self) -> Result<Rows, StoreError> {
        let conn = self.reader();
        let mut all = Rows::new();
        for found in conn.query_all_raw(sql(TABLES.to_owned())).await? {
            let table: String = found.try_get_by_index(0)?;
            let rows = conn.query_all_raw(sql(select(conn, &table).await?)).await?;
            all.insert(table, rows.iter().map(pair).collect::<Result<_, _>>()?);
        }
        Ok(all)
    }
}

/// A statement that gives each row's key and the row, both as JSON.
async fn select(conn: &impl ConnectionTrait, table: &str) -> Result<String, DbErr> {
    let columns = format!("SELECT name, pk FROM pragma_table_info('{table}')");
    let (mut keys, mut fields) = (Vec::new(), Vec::new());
    for column in conn.query_all_raw(sql(columns)).await? {
        let name: String = column.try_get_by_index(0)?;
        let position: i64 = column.try_get_by_index(1)?;
        if position > 0 {
            keys.push((position, format!("\"{name}\"")));
        }
        fields.push(format!("'{name}', \"{name}\""));
    }
    keys.sort();
    let keys: Vec<String> = keys.into_iter().map(|(_, name)| name).collect();
    let keys = if keys.is_empty() { "rowid".to_owned() } else { keys.join(", ") };
    Ok(format!("SELECT json_array({keys}), json_object({}) FROM \"{table}\"", fields.join(", ")))
}

fn pair(row: &QueryResult) -> Result<(String, String), DbErr> {
    Ok((row.try_get_by_index(0)?, row.try_get_by_index(1)?))
}

fn sql(text: String) -> Statement {
    Statement::from_string(DbBackend::Sqlite, text)
}

#[cfg(test)]
mod tests {
    use sea_orm::{ActiveModelTrait, Set};

    use super::*;
    use crate::connect::Place;
    use crate::entities::settings;

    #[tokio::test]
    async fn every_table_is_there_and_a_change_shows() {
        let db = Db::open(&Place::Memory).await.unwrap();
        let before = db.rows().await.unwrap();
        for table in ["orders", "ledger_entries", "settings"] {
            assert!(before[table].is_empty(), "{table}");
        }
        let tx = db.begin().await.unwrap();
        settings::ActiveModel { name: Set("a".into()), value: Set("b".into()) }.insert(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let after = db.rows().await.unwrap();
        assert_eq!(after["settings"][r#"["a"]"#], r#"{"name":"a","value":"b"}"#);
        assert_eq!(after["orders"], before["orders"]);
        let keys = select(db.reader(), "credit_accounts").await.unwrap();
        assert!(keys.starts_with("SELECT json_array(\"customer_id\", \"currency\")"), "{keys}");
    }
}
