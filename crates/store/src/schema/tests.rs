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
fn messages_of_an_older_version_keep_their_place() {
    let mut connection = Connection::open_in_memory().expect("there is memory");
    migrate(&mut connection, &MIGRATIONS[..2]).expect("it is empty");
    connection.pragma_update(None, "foreign_keys", true).expect("it can be set");
    let earlier = "
        INSERT INTO conversations (id, key, last_active) VALUES (1, 'c/b/a//', 1);
        INSERT INTO inbox (id, channel, bot, chat, message, conversation, person, role, payload, state, reason, joined_to,
            arrived_at, ended_at)
        VALUES (3, 'c', 'b', 'a', '1', 1, '7', 'owner', '{}', 'waiting', NULL, NULL, 1, NULL),
            (4, 'c', 'b', 'a', '2', 1, '7', 'owner', '{}', 'answered', 'joined', 3, 1, 2)";
    connection.execute_batch(earlier).expect("the tables are there");

    migrate(&mut connection, MIGRATIONS).expect("it is an older version");

    let joined: (i64, String) = connection
        .query_row("SELECT joined_to, stamp FROM inbox WHERE id = 4", [], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("it is there");
    assert_eq!(joined, (3, String::new()));
    let wrong: i64 = connection
        .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))
        .expect("it can be checked");
    assert_eq!(wrong, 0);
}

#[test]
fn a_migration_that_fails_leaves_the_version_before_it() {
    let mut connection = Connection::open_in_memory().expect("there is memory");

    let later = [MIGRATIONS[0], "CREATE TABLE moods (mood TEXT); CREATE TABLE meta (mood TEXT)"];
    let result = migrate(&mut connection, &later);

    assert!(result.is_err());
    assert_eq!(version(&connection).expect("it can be read"), 1);
    assert!(!names(&connection).contains(&"moods".to_owned()));
}
