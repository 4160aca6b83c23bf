-- Files that people send. What came with a message is fetched and read before a turn takes it; several messages that were sent as
-- one are taken together; and each message of the transcript says whose words it has.

CREATE TABLE inbox_new (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	source       TEXT NOT NULL CHECK (source <> ''),  -- who gives the keys: a channel's account, a job, a repository
	key          TEXT NOT NULL CHECK (key <> ''),     -- sent again under the same one, it is kept once
	message      TEXT NOT NULL DEFAULT '',            -- the channel's own name of it, to answer to
	kind         TEXT NOT NULL CHECK (kind IN ('text', 'command', 'press', 'code', 'job', 'review', 'triage', 'mcp')),
	command      TEXT CHECK (command <> ''),          -- the slash command's name; NULL for what is none
	state        TEXT NOT NULL CHECK (state IN ('arriving', 'new', 'running', 'answered', 'done', 'parked', 'dropped')),
	destination  INTEGER,                             -- the conversation that its turn answers to; NULL is its own
	turn         INTEGER REFERENCES turn (id) ON DELETE SET NULL,  -- the one it was taken into while that ran
	held         INTEGER NOT NULL DEFAULT 0,          -- 1: it met a closed gate, and is as if it were not there
	challenged   INTEGER NOT NULL DEFAULT 0,          -- 1: the person was told so because of this one
	asked        TEXT NOT NULL DEFAULT '',            -- the chat where its code is asked for; '' is its own
	unread       INTEGER NOT NULL DEFAULT 0,          -- 1: its text names it, and no words have said so to the model yet
	together     TEXT NOT NULL DEFAULT '',            -- the same for those that one turn takes together; '' stands alone
	origin       TEXT NOT NULL DEFAULT 'own' CHECK (origin IN ('own', 'world')),  -- of the message that it becomes
	received_at  INTEGER NOT NULL,
	changed_at   INTEGER NOT NULL,
	text         TEXT NOT NULL,
	parts        TEXT CHECK (json_type(parts) = 'array'),  -- what the model reads behind the text; NULL is nothing
	UNIQUE (user, source, key),
	CHECK (command IS NULL OR kind = 'command'),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user),
	FOREIGN KEY (destination, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO inbox_new (id, user, conversation, source, key, message, kind, command, state, destination, turn, held, challenged, asked,
	unread, received_at, changed_at, text)
	SELECT id, user, conversation, source, key, message, kind, command, state, destination, turn, held, challenged, asked,
	unread, received_at, changed_at, text FROM inbox ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'inbox_new';  -- an id is never given twice, whatever was deleted
INSERT INTO sqlite_sequence (name, seq) SELECT 'inbox_new', seq FROM sqlite_sequence WHERE name = 'inbox';
DROP TABLE inbox;
ALTER TABLE inbox_new RENAME TO inbox;
CREATE INDEX inbox_waiting ON inbox (conversation, id) WHERE state = 'new' AND held = 0;
CREATE INDEX inbox_arriving ON inbox (conversation, id) WHERE state = 'arriving';
CREATE INDEX inbox_command ON inbox (conversation, id) WHERE command IS NOT NULL;
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE turn IS NOT NULL;
CREATE INDEX inbox_destination ON inbox (destination) WHERE destination IS NOT NULL;
CREATE INDEX inbox_held ON inbox (user, conversation, id) WHERE held = 1;
CREATE INDEX inbox_challenged ON inbox (user, conversation, asked, changed_at) WHERE held = 1 AND challenged = 1;
CREATE INDEX inbox_unread ON inbox (conversation) WHERE unread = 1;

ALTER TABLE attachment ADD COLUMN failure TEXT NOT NULL DEFAULT '';  -- a sentence: why it can't be had; '' for nothing

-- own: the person's words, typed or spoken. world: some of it is somebody else's, and nothing is done unasked because of it.
ALTER TABLE message ADD COLUMN source TEXT NOT NULL DEFAULT 'own' CHECK (source IN ('own', 'world'));

-- An operation may be about a file that came with an inbound: then there is one of its kind for each.
ALTER TABLE operation ADD COLUMN inbound INTEGER REFERENCES inbox (id);
ALTER TABLE operation ADD COLUMN position INTEGER NOT NULL DEFAULT 0;  -- of the attachment
CREATE UNIQUE INDEX operation_inbound ON operation (inbound, kind, position) WHERE inbound IS NOT NULL;

-- Bytes that no turn has put into the spool: a person has sent them.
CREATE TABLE blob_new (
	user       TEXT NOT NULL,
	sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
	size       INTEGER NOT NULL CHECK (size >= 0),
	turn       INTEGER REFERENCES turn (id),  -- NULL: none
	created_at INTEGER NOT NULL,
	PRIMARY KEY (user, sha256)
) STRICT, WITHOUT ROWID;
INSERT INTO blob_new SELECT user, sha256, size, turn, created_at FROM blob;
DROP TABLE blob;
ALTER TABLE blob_new RENAME TO blob;
CREATE INDEX blob_turn ON blob (turn);
