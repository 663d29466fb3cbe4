use super::*;

fn names(connection: &Connection) -> Vec<String> {
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").expect("it is right");
    let rows = statement.query_map([], |row| row.get(0)).expect("it can be read");
    rows.collect::<Result<_>>().expect("names are text")
}

#[test]
fn an_empty_database_gets_every_table() {
    let mut connection = Connection::open_in_memory().expect("there is memory");

    migrate(&mut connection, MIGRATIONS).expect("it is empty");

    assert_eq!(version(&connection).expect("it can be read"), VERSION);
    assert_eq!(names(&connection), TABLES);
}

#[test]
fn a_database_of_version_one_gets_only_what_it_lacks() {
    let mut connection = Connection::open_in_memory().expect("there is memory");
    migrate(&mut connection, &MIGRATIONS[..1]).expect("it is empty");
    connection.execute_batch("INSERT INTO conversations (key, last_active) VALUES ('a', 1)").expect("it is there");

    let later = [MIGRATIONS[0], "ALTER TABLE conversations ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"];
    migrate(&mut connection, &later).expect("the second alone is applied");

    let mood: String =
        connection.query_row("SELECT mood FROM conversations", [], |row| row.get(0)).expect("it is there");
    assert_eq!((version(&connection).expect("it can be read"), mood.as_str()), (2, "calm"));
}

#[test]
fn a_migration_that_fails_leaves_the_version_before_it() {
    let mut connection = Connection::open_in_memory().expect("there is memory");

    let later = [MIGRATIONS[0], "CREATE TABLE moods (mood TEXT); CREATE TABLE meta (mood TEXT)"];
    let result = migrate(&mut connection, &later);

    assert!(result.is_err());
    assert_eq!(version(&connection).expect("it can be read"), 1);
    assert_eq!(names(&connection), TABLES[..6]);
}
