-- Turns that wait for a time, and stops that outlive the process.

ALTER TABLE turns ADD COLUMN suspended_for TEXT; -- of a suspended turn: wait, resumption
ALTER TABLE turns ADD COLUMN suspended_at INTEGER; -- when it was suspended first since it was last open
ALTER TABLE turns ADD COLUMN wakes_at INTEGER;
ALTER TABLE turns ADD COLUMN stop_asked INTEGER NOT NULL DEFAULT 0; -- a person wants it to end
