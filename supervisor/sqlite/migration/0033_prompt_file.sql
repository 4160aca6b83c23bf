-- The files of people's homes that go into prompts: the text in force, and what waits until its person accepts it.
CREATE TABLE prompt_file (
	user                 TEXT NOT NULL CHECK (user <> ''),
	path                 TEXT NOT NULL CHECK (path <> ''),
	state                TEXT NOT NULL,                       -- of the text in force: SHA-256 of its bytes, '' or another state
	text                 BLOB,
	accepted             INTEGER NOT NULL CHECK (accepted IN (0, 1)),
	since                INTEGER NOT NULL,
	pending_state        TEXT NOT NULL DEFAULT '',
	pending_text         BLOB,
	pending_why          TEXT NOT NULL DEFAULT '' CHECK (pending_why IN ('', 'turn', 'git', 'foreign')),
	pending_turn         INTEGER NOT NULL DEFAULT 0,
	pending_conversation INTEGER NOT NULL DEFAULT 0,          -- where its person is told
	pending_since        INTEGER NOT NULL DEFAULT 0,
	card                 INTEGER NOT NULL DEFAULT 0,          -- the delivery that has told them
	refused              TEXT NOT NULL DEFAULT '',            -- a JSON array of states
	PRIMARY KEY (user, path)
) STRICT;

-- What a turn's worker has said of prompt files last: '' before its last report, 'reported' when nothing of the turn changes them any
-- more, 'programs' while one runs that may.
ALTER TABLE turn ADD COLUMN prompt_files TEXT NOT NULL DEFAULT '' CHECK (prompt_files IN ('', 'reported', 'programs'));
CREATE INDEX turn_user ON turn (user, started_at);
