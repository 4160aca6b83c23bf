-- Work that is no answer to a message. What begins by itself comes through the inbox, a turn may have turns below it and
-- another conversation to answer to, and workers do operations, which are no turns.

-- Work by a worker that is no turn. It is done again after a crash, under the same id, until it has ended three workers.
CREATE TABLE operation (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	kind       TEXT NOT NULL CHECK (kind <> ''),
	parameters TEXT NOT NULL CHECK (json_type(parameters) = 'object'),
	state      TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed', 'parked')),
	deaths     INTEGER NOT NULL DEFAULT 0,  -- workers that ended in it
	result     TEXT NOT NULL DEFAULT '',    -- of one that is done; of one that failed or is parked, why
	created_at INTEGER NOT NULL,
	updated_at INTEGER NOT NULL             -- when its state or its deaths changed
) STRICT;
CREATE INDEX operation_open ON operation (id) WHERE state IN ('waiting', 'running');
CREATE INDEX operation_user ON operation (user, id);

-- The inbox with the kinds of what begins by itself, the name of a slash command, and where the turn answers. The text is
-- the last column: what is asked more often is read without it.
CREATE TABLE inbox_new (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	source       TEXT NOT NULL CHECK (source <> ''),  -- who gives the keys: a channel's account, a job, a repository
	key          TEXT NOT NULL CHECK (key <> ''),     -- sent again under the same one, it is kept once
	message      TEXT NOT NULL DEFAULT '',            -- the channel's own name of it, to answer to
	kind         TEXT NOT NULL CHECK (kind IN ('text', 'command', 'press', 'code', 'job', 'review', 'triage', 'mcp')),
	command      TEXT CHECK (command <> ''),          -- the slash command's name; NULL for what is none
	state        TEXT NOT NULL CHECK (state IN ('new', 'running', 'answered', 'done', 'parked')),
	destination  INTEGER,                             -- the conversation that its turn answers to; NULL is its own
	turn         INTEGER REFERENCES turn (id) ON DELETE SET NULL,  -- the one it was taken into while that ran
	held         INTEGER NOT NULL DEFAULT 0,          -- 1: it met a closed gate, and is as if it were not there
	challenged   INTEGER NOT NULL DEFAULT 0,          -- 1: the person was told so because of this one
	asked        TEXT NOT NULL DEFAULT '',            -- the chat where its code is asked for; '' is its own
	received_at  INTEGER NOT NULL,
	changed_at   INTEGER NOT NULL,
	text         TEXT NOT NULL,
	UNIQUE (user, source, key),
	CHECK (command IS NULL OR kind = 'command'),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user),
	FOREIGN KEY (destination, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO inbox_new (id, user, conversation, source, key, message, kind, command, state, turn, held, challenged, asked,
	received_at, changed_at, text)
	SELECT id, user, conversation, source, key, message, kind, CASE WHEN kind = 'command' THEN
		nullif(lower(substr(word, 2, instr(word, ' ') - 2)), '') END, state, turn, held, challenged, asked,
	received_at, changed_at, text
	FROM (SELECT *, replace(replace(replace(replace(text, '@', ' '), char(9), ' '), char(10), ' '), char(13), ' ') || ' ' AS word
		FROM inbox) ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'inbox_new';  -- an id is never given twice, whatever was deleted
INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox';
DROP TABLE inbox;
ALTER TABLE inbox_new RENAME TO inbox;
CREATE INDEX inbox_waiting ON inbox (conversation, id) WHERE state = 'new' AND held = 0;
CREATE INDEX inbox_command ON inbox (conversation, id) WHERE command IS NOT NULL;
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE turn IS NOT NULL;
CREATE INDEX inbox_destination ON inbox (destination) WHERE destination IS NOT NULL;
CREATE INDEX inbox_held ON inbox (user, conversation, id) WHERE held = 1;
CREATE INDEX inbox_challenged ON inbox (user, conversation, asked, changed_at) WHERE held = 1 AND challenged = 1;

-- Files that came with an inbound, in order.
CREATE TABLE attachment (
	inbound    INTEGER NOT NULL REFERENCES inbox (id),
	position   INTEGER NOT NULL CHECK (position >= 0),
	user       TEXT NOT NULL,
	file       TEXT NOT NULL CHECK (file <> ''),    -- the channel's own name of it, by which it is fetched
	kind       TEXT NOT NULL CHECK (kind <> ''),    -- photo, document, voice and so on, in the channel's word
	name       TEXT NOT NULL,                       -- as the person sees it; '' where it has none
	media_type TEXT NOT NULL,                       -- '' is not known
	size       INTEGER NOT NULL CHECK (size >= 0),  -- bytes; 0 is not known
	seconds    INTEGER NOT NULL CHECK (seconds >= 0),
	sha256     TEXT CHECK (length(sha256) = 64),    -- of its bytes in the spool; NULL until they were fetched
	PRIMARY KEY (inbound, position)
) STRICT, WITHOUT ROWID;

-- A turn for what begins by itself; one below another, which has no inbound; and one that answers to another conversation.
CREATE TABLE turn_new (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	destination  INTEGER,                             -- the conversation that it answers to and asks in; NULL is its own
	kind         TEXT NOT NULL CHECK (kind IN ('chat', 'job', 'review', 'triage', 'mcp')),
	inbound      INTEGER UNIQUE REFERENCES inbox (id),
	parent       INTEGER REFERENCES turn (id),        -- that has begun it
	deaths       INTEGER NOT NULL DEFAULT 0,
	why          TEXT,                                -- NULL while it runs
	started_at   INTEGER NOT NULL,
	ended_at     INTEGER,
	CHECK ((why IS NULL) = (ended_at IS NULL)),
	CHECK ((inbound IS NULL) = (parent IS NOT NULL)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user),
	FOREIGN KEY (destination, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO turn_new (id, user, conversation, kind, inbound, deaths, why, started_at, ended_at)
	SELECT id, user, conversation, kind, inbound, deaths, why, started_at, ended_at FROM turn ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'turn_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'turn_new', seq FROM sqlite_sequence WHERE name = 'turn';
DROP TABLE turn;
ALTER TABLE turn_new RENAME TO turn;
-- One turn at a time runs in a conversation.
CREATE UNIQUE INDEX turn_running ON turn (conversation) WHERE ended_at IS NULL;
CREATE INDEX turn_parent ON turn (parent) WHERE parent IS NOT NULL;
CREATE INDEX turn_destination ON turn (destination) WHERE destination IS NOT NULL;
