//! A recount in plain SQL, with statements of its own: what the writer believes is not asked.

use rusqlite::{Connection, Result};

/// What a recount found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// How many messages are in each state; together they are all that were ever accepted.
    pub inbox: Vec<StateCount>,
    /// How many rows the other tables have, by what they hold and the state they are in.
    pub others: Vec<RowCount>,
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

/// How many rows of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowCount {
    /// What they are.
    pub what: String,
    /// Their state, where they have one.
    pub state: Option<String>,
    /// How many.
    pub rows: i64,
}

/// When a recount is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moment {
    /// While somebody works on it, or may.
    AtWork,
    /// When nobody does.
    AtRest,
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

const COUNT_OTHERS: &str = "
    SELECT 'turns', state, count(*) FROM turns GROUP BY state
    UNION ALL SELECT 'turn events', NULL, count(*) FROM turn_events
    UNION ALL SELECT 'messages', role, count(*) FROM messages GROUP BY role
    UNION ALL SELECT 'deliveries', state, count(*) FROM deliveries GROUP BY state
    UNION ALL SELECT 'conversations', NULL, count(*) FROM conversations";

/// What must not be where nobody works on it: what is open has no owner, and no time at which it goes on.
const RULES_AT_REST: &[(&str, &str)] = &[
    ("a message waits and nobody works on it", "SELECT id FROM inbox WHERE state = 'waiting'"),
    (
        "a message runs and nobody works on it",
        "SELECT inbox.id FROM inbox LEFT JOIN turns ON turns.id = inbox.turn WHERE inbox.state = 'running'
            OR (inbox.state = 'suspended' AND turns.wakes_at IS NULL)",
    ),
    (
        "a turn is open and nobody works on it",
        "SELECT id FROM turns WHERE state <> 'ended' AND (state <> 'suspended' OR wakes_at IS NULL)",
    ),
    (
        "an open turn answers no message",
        "SELECT id FROM turns WHERE state <> 'ended' AND NOT EXISTS (
            SELECT * FROM inbox WHERE inbox.conversation = turns.conversation AND inbox.turn = turns.id AND ended_at IS NULL)",
    ),
    ("a delivery is open and nobody works on it", "SELECT id FROM deliveries WHERE state IN ('planned', 'sending')"),
];

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
        "SELECT id FROM inbox WHERE state IN ('running', 'suspended')
            AND NOT EXISTS (SELECT * FROM turns WHERE turns.id = inbox.turn AND turns.state = inbox.state)",
    ),
    (
        "a suspended turn does not say until when and for what, or one that is not suspended does",
        "SELECT id FROM turns WHERE (state = 'suspended') <> (wakes_at IS NOT NULL)
            OR (state = 'suspended') <> (suspended_at IS NOT NULL)
            OR (state = 'suspended') <> (suspended_for IS NOT NULL AND suspended_for IN ('wait', 'resumption'))",
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
        "a tool call of a history has not exactly one result, in the message behind it",
        "SELECT asked.id FROM messages AS asked, json_each(asked.blocks) AS call
            WHERE call.value ->> 'type' = 'tool_use' AND (asked.role <> 'assistant' OR 1 <> (
                SELECT count(*) FROM messages AS told, json_each(told.blocks) AS result
                WHERE told.conversation = asked.conversation AND told.seq = asked.seq + 1 AND told.turn = asked.turn
                    AND told.role = 'user' AND result.value ->> 'type' = 'tool_result'
                    AND result.value ->> 'tool_use_id' = call.value ->> 'id'))",
    ),
    (
        "a tool result of a history has not exactly one call, in the message before it",
        "SELECT told.id FROM messages AS told, json_each(told.blocks) AS result
            WHERE result.value ->> 'type' = 'tool_result' AND 1 <> (
                SELECT count(*) FROM messages AS asked, json_each(asked.blocks) AS call
                WHERE asked.conversation = told.conversation AND asked.seq = told.seq - 1
                    AND call.value ->> 'type' = 'tool_use'
                    AND call.value ->> 'id' = result.value ->> 'tool_use_id')",
    ),
    (
        "the messages of a turn do not begin with the person's and end with the assistant's (turn)",
        "SELECT turn FROM messages GROUP BY turn HAVING min(seq) <> min(seq) FILTER (WHERE role = 'user')
            OR max(seq) <> max(seq) FILTER (WHERE role = 'assistant')
            OR count(DISTINCT role) <> 2 OR max(seq) - min(seq) <> count(*) - 1",
    ),
    (
        "the record of a turn has a gap (turn)",
        "SELECT turn FROM turn_events GROUP BY turn HAVING min(seq) <> 0 OR max(seq) <> count(*) - 1",
    ),
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
pub(crate) fn verify(connection: &Connection, moment: Moment) -> Result<Report> {
    let mut count = connection.prepare(COUNT)?;
    let inbox = count
        .query_map([], |row| Ok(StateCount { state: row.get(0)?, reason: row.get(1)?, rows: row.get(2)? }))?
        .collect::<Result<_>>()?;
    let mut count = connection.prepare(COUNT_OTHERS)?;
    let others = count
        .query_map([], |row| Ok(RowCount { what: row.get(0)?, state: row.get(1)?, rows: row.get(2)? }))?
        .collect::<Result<_>>()?;
    let at_rest = if moment == Moment::AtRest { RULES_AT_REST } else { &[] };
    let mut findings = Vec::new();
    for (what, sql) in RULES.iter().chain(at_rest) {
        let mut query =
            connection.prepare(&format!("WITH found (place) AS ({sql}) SELECT CAST(place AS TEXT) FROM found"))?;
        for place in query.query_map([], |row| row.get::<_, String>(0))? {
            findings.push(Finding { what: (*what).to_owned(), place: place? });
        }
    }
    Ok(Report { inbox, others, findings })
}
