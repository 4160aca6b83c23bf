-- The gate: who may speak, how they prove that it is they, what they were asked, and what they may spend.

-- People who were added while the service ran; those of the configuration are not here.
CREATE TABLE person (
	name       TEXT PRIMARY KEY CHECK (name <> ''),
	role       TEXT NOT NULL CHECK (role IN ('admin', 'user')),
	account    TEXT NOT NULL,                -- the OS account; '' is the service's own
	timezone   TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whoever may not speak for now, wherever they were added.
CREATE TABLE suspended (
	user       TEXT PRIMARY KEY CHECK (user <> ''),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The accounts of a channel that were bound to a person by an invite.
CREATE TABLE binding (
	channel    TEXT NOT NULL CHECK (channel <> ''),
	account    TEXT NOT NULL CHECK (account <> ''),  -- the channel's own number of it
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (channel, account)
) STRICT, WITHOUT ROWID;
CREATE INDEX binding_user ON binding (user);

-- A one-time code is kept as its digest.
CREATE TABLE invite (
	digest     TEXT PRIMARY KEY CHECK (length(digest) = 64),
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER,
	enrol      INTEGER NOT NULL DEFAULT 0    -- 1: it also lets its person enrol a second factor in the chat
) STRICT, WITHOUT ROWID;
CREATE INDEX invite_user ON invite (user);

-- The groups in which people may speak.
CREATE TABLE allowed_group (
	channel    TEXT NOT NULL CHECK (channel <> ''),
	chat       TEXT NOT NULL CHECK (chat <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (channel, chat)
) STRICT, WITHOUT ROWID;

-- A person's second factor, and what was tried against it.
CREATE TABLE totp (
	user         TEXT PRIMARY KEY CHECK (user <> ''),
	secret       BLOB NOT NULL,               -- sealed to the user; empty until they enrol
	confirmed_at INTEGER,                     -- NULL: it counts for nothing yet
	last_step    INTEGER NOT NULL DEFAULT 0,  -- of the last code that was taken: no step up to it is taken again
	failures     INTEGER NOT NULL DEFAULT 0,  -- since the last success or lock-out
	lockouts     INTEGER NOT NULL DEFAULT 0,  -- since the last success
	locked_until INTEGER NOT NULL DEFAULT 0,
	changed_at   INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery (
	user    TEXT NOT NULL CHECK (user <> ''),
	digest  TEXT NOT NULL CHECK (length(digest) = 64),
	used_at INTEGER,
	PRIMARY KEY (user, digest)
) STRICT, WITHOUT ROWID;

-- Where a code has opened the gate.
CREATE TABLE login (
	user      TEXT NOT NULL CHECK (user <> ''),
	channel   TEXT NOT NULL CHECK (channel <> ''),
	chat      TEXT NOT NULL,
	opened_at INTEGER NOT NULL,
	used_at   INTEGER NOT NULL,
	PRIMARY KEY (user, channel, chat)
) STRICT, WITHOUT ROWID;

-- 1: it met a closed gate, and is as if it were not there until a code has opened that.
ALTER TABLE inbox ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN challenged INTEGER NOT NULL DEFAULT 0;  -- 1: the person was told so because of this one
ALTER TABLE inbox ADD COLUMN asked TEXT NOT NULL DEFAULT '';         -- the chat where its code is asked for; '' is its own
CREATE INDEX inbox_held ON inbox (user, conversation, id) WHERE held = 1;
CREATE INDEX inbox_challenged ON inbox (user, conversation, asked, changed_at) WHERE held = 1 AND challenged = 1;
DROP INDEX inbox_state;
CREATE INDEX inbox_state ON inbox (state, kind, conversation, id) WHERE held = 0;

-- What a person may press below a delivery, and the files that come with it. (JSON: [][]Button and []File; '' is none)
ALTER TABLE outbox ADD COLUMN buttons TEXT NOT NULL DEFAULT '';
ALTER TABLE outbox ADD COLUMN files TEXT NOT NULL DEFAULT '';
-- How long after it was given what it says may stand in the chat, in milliseconds; 0 is for ever.
ALTER TABLE outbox ADD COLUMN vanish INTEGER NOT NULL DEFAULT 0;

-- What is to be done to messages that stand in a channel's chat.
CREATE TABLE cleaning (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	message      TEXT NOT NULL CHECK (message <> ''),
	what         TEXT NOT NULL CHECK (what IN ('delete', 'unbutton')),
	due_at       INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX cleaning_due ON cleaning (due_at);

-- What a person was asked, and what they said. It outlives the process that waits for the answer.
CREATE TABLE question (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	digest       TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),  -- of the nonce that its buttons carry
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),    -- that waits for the answer; NULL where none does
	kind         TEXT NOT NULL CHECK (kind IN ('budget', 'approval')),
	tool         TEXT NOT NULL DEFAULT '',        -- with kind approval: what wants to be done
	subject      TEXT NOT NULL CHECK (length(subject) = 64),  -- digest of exactly what was asked about
	amount       INTEGER NOT NULL DEFAULT 0,      -- with kind budget: millionths of a dollar
	text         TEXT NOT NULL,                   -- what the person read
	answer       TEXT NOT NULL DEFAULT '' CHECK (answer IN ('', 'once', 'always', 'deny')),
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER NOT NULL,
	answered_at  INTEGER,
	used_at      INTEGER,                         -- an answer counts once
	CHECK ((answer = '') = (answered_at IS NULL)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX question_turn ON question (turn, subject) WHERE turn IS NOT NULL;

-- What a person allows always, for exactly this.
CREATE TABLE granted (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	tool       TEXT NOT NULL,
	subject    TEXT NOT NULL CHECK (length(subject) = 64),
	text       TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER
) STRICT;
CREATE UNIQUE INDEX granted_live ON granted (user, subject) WHERE revoked_at IS NULL;

-- What is set aside for calls of models that run. When one has ended, its row here becomes one of usage.
CREATE TABLE lease (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER NOT NULL REFERENCES turn (id),
	spec         TEXT NOT NULL,
	amount       INTEGER NOT NULL CHECK (amount >= 0),  -- the most that the call can cost, in millionths of a dollar
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;

-- By how much a person has lengthened their budget.
CREATE TABLE extension (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	turn       INTEGER NOT NULL REFERENCES turn (id),
	amount     INTEGER NOT NULL CHECK (amount > 0),
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX extension_user ON extension (user, created_at, amount);
CREATE INDEX extension_turn ON extension (turn, amount);

CREATE INDEX usage_cost ON usage (user, created_at, cost);
DROP INDEX usage_user;
CREATE INDEX usage_turn ON usage (turn, cost) WHERE turn IS NOT NULL;

-- What was spent in each quarter of an hour since 1970, by person; '' is everybody. It is added up before each call of a
-- model, and a month of usage would take too long for that. (No time zone has its midnight within a quarter of an hour.)
CREATE TABLE spent (
	user    TEXT NOT NULL,
	quarter INTEGER NOT NULL,
	cost    INTEGER NOT NULL,  -- in millionths of a dollar
	PRIMARY KEY (user, quarter)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER usage_is_spent AFTER INSERT ON usage WHEN new.cost > 0
BEGIN
	INSERT INTO spent (user, quarter, cost) VALUES
		(new.user, new.created_at / 900000, new.cost), ('', new.created_at / 900000, new.cost)
		ON CONFLICT (user, quarter) DO UPDATE SET cost = cost + excluded.cost;
END;
INSERT INTO spent (user, quarter, cost)
	SELECT user, created_at / 900000, sum(cost) FROM usage WHERE cost > 0 GROUP BY 1, 2
	UNION ALL SELECT '', created_at / 900000, sum(cost) FROM usage WHERE cost > 0 GROUP BY 2;

-- Each row's digest is over the one before it and itself. NULL is a row from before there was the chain.
ALTER TABLE audit ADD COLUMN chain BLOB;

-- When all of a person's rows are deleted, what names each of them is looked up and not searched for.
CREATE INDEX tool_call_turn ON tool_call (turn);
CREATE INDEX tool_call_message ON tool_call (message);
CREATE INDEX tool_call_result ON tool_call (result);
CREATE INDEX outbox_turn ON outbox (turn);
CREATE INDEX post_of_turn ON post (turn);
CREATE INDEX post_of_delivery ON post (delivery);
CREATE INDEX blob_turn ON blob (turn);
