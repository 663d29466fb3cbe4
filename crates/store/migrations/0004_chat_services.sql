-- What chat services need beside messages: edits, deliveries in parts, who may talk to the bot.

-- An edit has the id of its message and a stamp of its own. SQLite cannot change a table's UNIQUE, so it is built anew.
CREATE TABLE inbox_with_stamp (
    id           INTEGER PRIMARY KEY,
    channel      TEXT NOT NULL,
    bot          TEXT NOT NULL,
    chat         TEXT NOT NULL,
    message      TEXT NOT NULL, -- the platform's id
    stamp        TEXT NOT NULL DEFAULT '', -- of an edit: the platform's stamp
    conversation INTEGER NOT NULL REFERENCES conversations,
    person       TEXT NOT NULL, -- the platform's id
    role         TEXT NOT NULL,
    payload      TEXT NOT NULL, -- JSON
    state        TEXT NOT NULL, -- waiting, running, suspended; answered, doubtful, refused, cancelled
    reason       TEXT, -- of an end
    turn         INTEGER REFERENCES turns,
    joined_to    INTEGER REFERENCES inbox_with_stamp,
    arrived_at   INTEGER NOT NULL,
    started_at   INTEGER,
    ended_at     INTEGER,
    UNIQUE (channel, bot, chat, message, stamp)
) STRICT;

INSERT INTO inbox_with_stamp (id, channel, bot, chat, message, conversation, person, role, payload, state, reason, turn,
    joined_to, arrived_at, started_at, ended_at)
SELECT id, channel, bot, chat, message, conversation, person, role, payload, state, reason, turn, joined_to, arrived_at,
    started_at, ended_at FROM inbox ORDER BY id;

DROP TABLE inbox;

ALTER TABLE inbox_with_stamp RENAME TO inbox;

CREATE INDEX inbox_open ON inbox (conversation) WHERE ended_at IS NULL;

-- What a delivery was rendered to; its payload is opaque here. The delivery is out when its last part is.
CREATE TABLE parts (
    delivery    INTEGER NOT NULL REFERENCES deliveries,
    n           INTEGER NOT NULL, -- from 0
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL, -- planned, sending, sent
    platform_id TEXT,
    attempts    INTEGER NOT NULL DEFAULT 0,
    changed_at  INTEGER NOT NULL,
    PRIMARY KEY (delivery, n)
) STRICT;

-- The message in a chat that shows a turn at work, and that its answer takes the place of.
CREATE TABLE placeholders (
    turn        INTEGER PRIMARY KEY REFERENCES turns,
    platform_id TEXT NOT NULL
) STRICT;

-- Who may talk to the bot, by the platform's id of them; a name is only shown.
CREATE TABLE access (
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    role    TEXT NOT NULL, -- guest, trusted, owner
    name    TEXT NOT NULL,
    private TEXT, -- the key of their private conversation
    since   INTEGER NOT NULL,
    PRIMARY KEY (channel, person)
) STRICT;

CREATE TABLE chat_access (
    channel TEXT NOT NULL,
    chat    TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    cap     TEXT NOT NULL, -- guest, trusted, owner: the most that a turn there may do
    since   INTEGER NOT NULL,
    PRIMARY KEY (channel, chat)
) STRICT;

-- Codes that strangers were given.
CREATE TABLE pairing (
    code    TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    name    TEXT NOT NULL,
    private TEXT NOT NULL, -- the key of their private conversation
    expires INTEGER NOT NULL,
    UNIQUE (channel, person)
) STRICT;

-- How often a stranger wrote on a day since 1970. What they wrote is not kept.
CREATE TABLE tallies (
    channel TEXT NOT NULL,
    person  TEXT NOT NULL,
    day     INTEGER NOT NULL,
    count   INTEGER NOT NULL,
    PRIMARY KEY (channel, person, day)
) STRICT;
