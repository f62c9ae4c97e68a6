//! Databases of earlier releases are brought to the current schema with all that is in them.

use acceptance::{Database, databases};
use sea_orm::{ConnectionTrait, DatabaseConnection, EntityTrait};
use sea_orm_migration::MigratorTrait;
use shared::entity::field_changes;
use shared::migration::{self, Migrator, SchemaState};
use shared::{db, tls};

/// Migrations that the first release had.
const FIRST_RELEASE: u32 = 3;

/// A row of field history as the first release wrote it: the key of the changed row as text.
async fn write_history(db: &DatabaseConnection) {
    let instant = match db.get_database_backend() {
        sea_orm::DbBackend::Sqlite => "'2025-01-01T00:00:00+00:00'",
        _ => "'2025-01-01 00:00:00'",
    };
    let row = format!(
        "INSERT INTO field_changes (loan_id, table_name, record_id, field_name, field_label, \
         new_value, modified_by_name, modified_date, source, request_id, privilege_path) \
         VALUES (3, 'loans', '1234567890123', 'City', 'City', 'Newark', 'admin', {instant}, 'api', \
         'r', 'Loan > Records')"
    );
    db.execute_unprepared(&row).await.expect("a row");
}

#[tokio::test]
async fn a_database_of_the_first_release_keeps_its_history() {
    tls::install_provider();
    for database in Database::all() {
        let folder = tempfile::tempdir().expect("a folder");
        let url = match &database {
            Database::Sqlite => format!("sqlite://{}", folder.path().join("old.sqlite").display()),
            Database::Server(server) => databases::create_empty(server).await,
        };
        let db = db::connect(&url, 2, true).await.expect("a connection");
        Migrator::up(&db, Some(FIRST_RELEASE)).await.expect("the schema of the first release");
        write_history(&db).await;
        assert_eq!(migration::schema_state(&db).await, Ok(SchemaState::Other));
        migration::migrate(&db).await.expect("the schema of this release");
        assert_eq!(migration::schema_state(&db).await, Ok(SchemaState::Current));
        let rows = field_changes::Entity::find().all(&db).await.expect("rows");
        let [row] = &rows[..] else { panic!("{rows:?}") };
        assert_eq!((row.loan_id, row.record_id), (Some(3), 1_234_567_890_123));
        db.close().await.expect("closed");
        database.drop(&url).await;
    }
}
