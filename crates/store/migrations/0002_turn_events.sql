-- What happened to a turn, for bug reports: event 0 is what it started from. Payloads are opaque here.

CREATE TABLE turn_events (
    turn    INTEGER NOT NULL REFERENCES turns,
    seq     INTEGER NOT NULL,
    payload TEXT NOT NULL, -- JSON
    effects INTEGER NOT NULL -- a hash of what it caused, its 64 bits
) STRICT;

CREATE UNIQUE INDEX turn_events_by_seq ON turn_events (turn, seq);
