//! A recount in plain SQL, with statements of its own: what the writer believes is not asked.

use rusqlite::{Connection, Result};

/// What a recount found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many messages are in each state; together they are all that were ever accepted.
    pub inbox: Vec<StateCount>,
    /// What must not be; empty in a sound ledger.
    pub findings: Vec<Finding>,
}

/// How many messages are in one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StateCount {
    /// The state.
    pub state: String,
    /// Why, of a state that is an end; doubtful ones are counted together.
    pub reason: Option<String>,
    /// How many.
    pub rows: i64,
}

/// Something that must not be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub what: String,
    /// Which row or page it is.
    pub place: String,
}

const COUNT: &str = "
    SELECT state, iif(state = 'doubtful', NULL, reason), count(*) FROM inbox GROUP BY 1, 2 ORDER BY 1, 2";

/// What must not be, and a query for the places where it is.
const RULES: &[(&str, &str)] = &[
    (
        "a message is neither open nor in one end state with a reason of that state",
        "SELECT id FROM inbox WHERE (CASE state
            WHEN 'waiting' THEN reason IS NULL AND ended_at IS NULL
            WHEN 'running' THEN reason IS NULL AND ended_at IS NULL
            WHEN 'suspended' THEN reason IS NULL AND ended_at IS NULL
            WHEN 'answered' THEN ended_at IS NOT NULL
                AND reason IN ('reply', 'joined', 'steered', 'command', 'silence', 'error_told')
            WHEN 'doubtful' THEN ended_at IS NOT NULL AND reason IS NOT NULL
            WHEN 'refused' THEN ended_at IS NOT NULL
                AND reason IN ('no_access', 'queue_full', 'set_aside', 'unsupported')
            WHEN 'cancelled' THEN ended_at IS NOT NULL AND reason IN ('stop', 'deleted', 'new', 'expired')
        END) IS NOT TRUE",
    ),
    (
        "a message runs in no open turn",
        "SELECT id FROM inbox WHERE state = 'running'
            AND NOT EXISTS (SELECT * FROM turns WHERE turns.id = inbox.turn AND turns.state <> 'ended')",
    ),
    (
        "a message was joined to nothing, or without having been joined",
        "SELECT id FROM inbox WHERE (reason IS 'joined') <> (joined_to IS NOT NULL)",
    ),
    ("a message was joined to itself", "SELECT id FROM inbox WHERE joined_to = id"),
    ("a message was taken into no turn", "SELECT id FROM inbox WHERE reason = 'steered' AND turn IS NULL"),
    (
        "a message is in another conversation than its turn",
        "SELECT inbox.id FROM inbox JOIN turns ON turns.id = inbox.turn WHERE inbox.conversation <> turns.conversation",
    ),
    (
        "a turn has ended without an outcome, or has one before its end",
        "SELECT id FROM turns WHERE (state = 'ended') <> (outcome IS NOT NULL AND ended_at IS NOT NULL)",
    ),
    (
        "a turn is in no known state, or was never tried",
        "SELECT id FROM turns WHERE state NOT IN ('running', 'suspended', 'ended') OR attempts < 1",
    ),
    (
        "a history has a gap (conversation)",
        "SELECT conversation FROM messages GROUP BY conversation HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1",
    ),
    (
        "a message of a history is of no ended turn of its conversation",
        "SELECT messages.id FROM messages LEFT JOIN turns ON turns.id = messages.turn
            WHERE (turns.state = 'ended' AND turns.conversation = messages.conversation) IS NOT TRUE",
    ),
    ("a message of a history is of no known role", "SELECT id FROM messages WHERE role NOT IN ('user', 'assistant')"),
    (
        "a delivery is in no known state",
        "SELECT id FROM deliveries WHERE state NOT IN ('planned', 'sending', 'sent', 'failed', 'doubtful')",
    ),
    (
        "a delivery has failed or is doubtful without a reason",
        "SELECT id FROM deliveries WHERE state IN ('failed', 'doubtful') AND reason IS NULL",
    ),
    (
        "a delivery is of a turn that has not ended",
        "SELECT deliveries.id FROM deliveries JOIN turns ON turns.id = deliveries.turn WHERE turns.state <> 'ended'",
    ),
    (
        "a part of a delivery is in no known state, or out without an id",
        "SELECT delivery || ' ' || n FROM parts WHERE (CASE state
            WHEN 'planned' THEN TRUE
            WHEN 'sending' THEN attempts > 0
            WHEN 'sent' THEN platform_id IS NOT NULL
        END) IS NOT TRUE",
    ),
    (
        "a delivery counts as sent before its last part",
        "SELECT DISTINCT delivery FROM parts JOIN deliveries ON deliveries.id = delivery
            WHERE deliveries.state = 'sent' AND parts.state <> 'sent'",
    ),
    (
        "a delivery lacks a part before its last",
        "SELECT delivery FROM parts GROUP BY delivery HAVING min(n) <> 0 OR max(n) <> count(*) - 1",
    ),
    (
        "a person or a chat has a role that nobody can be given",
        "SELECT channel || ' ' || person FROM access WHERE role NOT IN ('guest', 'trusted', 'owner')
            UNION ALL SELECT channel || ' ' || chat FROM chat_access
            WHERE cap NOT IN ('guest', 'trusted', 'owner') OR enabled NOT IN (0, 1)",
    ),
    ("what a stranger wrote was kept", "SELECT id FROM inbox WHERE role = 'stranger'"),
    ("a code was given to a person who has access", "SELECT code FROM pairing JOIN access USING (channel, person)"),
    ("a day was counted without a message", "SELECT channel || ' ' || person FROM tallies WHERE count < 1"),
    ("a row refers to one that does not exist", "SELECT \"table\" || ' ' || rowid FROM pragma_foreign_key_check"),
    ("the file is damaged", "SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
];

/// Counts everything anew, and looks for what must not be.
pub(crate) fn verify(connection: &Connection) -> Result<Report> {
    let mut count = connection.prepare(COUNT)?;
    let inbox = count
        .query_map([], |row| Ok(StateCount { state: row.get(0)?, reason: row.get(1)?, rows: row.get(2)? }))?
        .collect::<Result<_>>()?;
    let mut findings = Vec::new();
    for (what, sql) in RULES {
        let mut query =
            connection.prepare(&format!("WITH found (place) AS ({sql}) SELECT CAST(place AS TEXT) FROM found"))?;
        for place in query.query_map([], |row| row.get::<_, String>(0))? {
            findings.push(Finding { what: (*what).to_owned(), place: place? });
        }
    }
    Ok(Report { inbox, findings })
}
