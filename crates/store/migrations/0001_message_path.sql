-- The tables that a message meets on its way to an answer. Times are Unix milliseconds; what is said to be JSON is opaque here.
-- States are not held by CHECK (state IN (…)): SQLite builds a table of the list for every row that is written. The recount holds them.

CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- `groups` counts the writer's transactions: after a failed commit it tells whether that one is on disk all the same.
INSERT INTO meta (name, value) VALUES ('created', CAST(unixepoch('subsec') * 1000 AS INTEGER)), ('groups', 0);

CREATE TABLE conversations (
    id          INTEGER PRIMARY KEY,
    key         TEXT NOT NULL UNIQUE,
    settings    TEXT, -- JSON
    view        TEXT, -- JSON; NULL: everything
    last_active INTEGER NOT NULL
) STRICT;

CREATE TABLE turns (
    id           INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations,
    attempts     INTEGER NOT NULL,
    state        TEXT NOT NULL, -- running, suspended, ended
    version      TEXT NOT NULL, -- the program's, when it was opened last
    outcome      TEXT, -- JSON
    steps        INTEGER,
    usage        TEXT, -- JSON
    opened_at    INTEGER NOT NULL,
    ended_at     INTEGER
) STRICT;

CREATE INDEX turns_open ON turns (conversation) WHERE ended_at IS NULL;

CREATE TABLE inbox (
    id           INTEGER PRIMARY KEY,
    channel      TEXT NOT NULL,
    bot          TEXT NOT NULL,
    chat         TEXT NOT NULL,
    message      TEXT NOT NULL, -- the platform's id
    conversation INTEGER NOT NULL REFERENCES conversations,
    person       TEXT NOT NULL, -- the platform's id
    role         TEXT NOT NULL,
    payload      TEXT NOT NULL, -- JSON
    state        TEXT NOT NULL, -- waiting, running, suspended; answered, doubtful, refused, cancelled
    reason       TEXT, -- of an end
    turn         INTEGER REFERENCES turns,
    joined_to    INTEGER REFERENCES inbox,
    arrived_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,
    UNIQUE (channel, bot, chat, message)
) STRICT;

-- Not by turn, which changes while a message is open.
CREATE INDEX inbox_open ON inbox (conversation) WHERE ended_at IS NULL;

-- Not WITHOUT ROWID: with rows this large that would write a page per row.
CREATE TABLE messages (
    id           INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations,
    seq          INTEGER NOT NULL,
    turn         INTEGER NOT NULL REFERENCES turns,
    role         TEXT NOT NULL, -- user, assistant
    blocks       TEXT NOT NULL, -- JSON
    text         TEXT -- what people see of it
) STRICT;

CREATE UNIQUE INDEX messages_by_seq ON messages (conversation, seq);

CREATE TABLE deliveries (
    id           INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL REFERENCES conversations,
    turn         INTEGER REFERENCES turns,
    class        TEXT NOT NULL,
    payload      TEXT NOT NULL, -- JSON
    state        TEXT NOT NULL, -- planned, sending, sent, failed, doubtful
    attempts     INTEGER NOT NULL DEFAULT 0,
    reason       TEXT,
    platform_id  TEXT,
    planned_at   INTEGER NOT NULL,
    changed_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX deliveries_unsent ON deliveries (conversation) WHERE state = 'planned' OR state = 'sending';
