-- The first schema. Times are unix milliseconds, UTC. Every row names its user, and where a row belongs to a
-- conversation the pair is a foreign key, so that no row can name one person and a conversation of another's. Ids that
-- the outside remembers are AUTOINCREMENT: they are never given twice, whatever is deleted.

CREATE TABLE setting (
	user  TEXT NOT NULL,               -- '' is the service's own
	name  TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE conversation (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user        TEXT NOT NULL CHECK (user <> ''),
	channel     TEXT NOT NULL CHECK (channel <> ''),
	chat        TEXT NOT NULL,
	thread      TEXT NOT NULL,
	window_from INTEGER NOT NULL DEFAULT 0,  -- the model sees messages with this id or a greater one
	created_at  INTEGER NOT NULL,
	UNIQUE (user, channel, chat, thread),
	UNIQUE (id, user)
) STRICT;

CREATE TABLE inbox (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	source       TEXT NOT NULL CHECK (source <> ''),
	key          TEXT NOT NULL CHECK (key <> ''),
	kind         TEXT NOT NULL CHECK (kind <> ''),
	text         TEXT NOT NULL,
	state        TEXT NOT NULL CHECK (state IN ('new', 'running', 'answered', 'done', 'parked')),
	received_at  INTEGER NOT NULL,
	changed_at   INTEGER NOT NULL,
	UNIQUE (user, source, key),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX inbox_state ON inbox (state, kind, conversation, id);

CREATE TABLE turn (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	kind         TEXT NOT NULL CHECK (kind <> ''),
	inbound      INTEGER NOT NULL UNIQUE REFERENCES inbox (id),
	deaths       INTEGER NOT NULL DEFAULT 0,
	why          TEXT,                 -- NULL while it runs
	started_at   INTEGER NOT NULL,
	ended_at     INTEGER,
	CHECK ((why IS NULL) = (ended_at IS NULL)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
-- One turn at a time runs in a conversation.
CREATE UNIQUE INDEX turn_running ON turn (conversation) WHERE ended_at IS NULL;

CREATE TABLE message (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER NOT NULL REFERENCES turn (id),
	role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
	parts        TEXT NOT NULL CHECK (json_type(parts) = 'array'),
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX message_conversation ON message (conversation, id);
CREATE INDEX message_turn ON message (turn, id);

-- What each call of a tool has come to: asked for, begun, answered.
CREATE TABLE tool_call (
	conversation INTEGER NOT NULL,
	call         TEXT NOT NULL CHECK (call <> ''),
	user         TEXT NOT NULL,
	turn         INTEGER NOT NULL REFERENCES turn (id),
	message      INTEGER NOT NULL REFERENCES message (id),  -- the model's, which asked for it
	position     INTEGER NOT NULL,                          -- among that message's calls, from 0
	name         TEXT NOT NULL,
	begun_at     INTEGER,                                   -- set before a tool runs whose effect must not happen twice
	result       INTEGER REFERENCES message (id),           -- the message that answers it; NULL until then
	PRIMARY KEY (conversation, call),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX tool_call_open ON tool_call (turn, message, position) WHERE result IS NULL;

CREATE TABLE usage (
	message     INTEGER PRIMARY KEY REFERENCES message (id),
	user        TEXT NOT NULL,
	turn        INTEGER NOT NULL REFERENCES turn (id),
	model       TEXT NOT NULL,
	input       INTEGER NOT NULL,
	output      INTEGER NOT NULL,
	cache_read  INTEGER NOT NULL,
	cache_write INTEGER NOT NULL,
	created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX usage_user ON usage (user, created_at);

-- The ledger of what turns changed.
CREATE TABLE effect (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL,
	turn       INTEGER NOT NULL REFERENCES turn (id),
	call       TEXT NOT NULL,
	kind       TEXT NOT NULL CHECK (kind <> ''),
	target     TEXT NOT NULL,
	detail     TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX effect_turn ON effect (turn, id);

CREATE TABLE outbox (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	inbound      INTEGER REFERENCES inbox (id),  -- NULL for a notice
	turn         INTEGER REFERENCES turn (id),   -- NULL where no turn said it
	kind         TEXT NOT NULL CHECK (kind <> ''),
	text         TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	delivered_at INTEGER,                        -- NULL while it waits
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX outbox_conversation ON outbox (conversation, id);
CREATE INDEX outbox_inbound ON outbox (inbound) WHERE inbound IS NOT NULL;
CREATE INDEX outbox_waiting ON outbox (conversation, id) WHERE delivered_at IS NULL;

-- Whose the bytes in the spool are.
CREATE TABLE blob (
	user       TEXT NOT NULL,
	sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
	size       INTEGER NOT NULL CHECK (size >= 0),
	turn       INTEGER NOT NULL REFERENCES turn (id),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (user, sha256)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL,
	action     TEXT NOT NULL CHECK (action <> ''),
	detail     TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
	SELECT RAISE (ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
	SELECT RAISE (ABORT, 'the audit log is append-only');
END;
