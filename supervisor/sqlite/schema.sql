-- The schema of a new database: the tables and indexes that all files in migration/ make together. To
-- change the schema, add a migration and run: go test ./supervisor/sqlite -run TestNewSchema -update
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
	created_at  INTEGER NOT NULL, trimmed INTEGER NOT NULL DEFAULT 0, forgotten INTEGER NOT NULL DEFAULT 0, foreign_from INTEGER NOT NULL DEFAULT 0,
	UNIQUE (user, channel, chat, thread),
	UNIQUE (id, user)
) STRICT;
CREATE TABLE message (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER NOT NULL REFERENCES turn (id),
	role         TEXT NOT NULL CHECK (role IN ('user', 'assistant', 'tool')),
	parts        TEXT NOT NULL CHECK (json_type(parts) = 'array'),
	created_at   INTEGER NOT NULL, source TEXT NOT NULL DEFAULT 'own' CHECK (source IN ('own', 'world')), stamp TEXT NOT NULL DEFAULT '', recap TEXT NOT NULL DEFAULT '', own_part INTEGER,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
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
CREATE TABLE outbox (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	inbound      INTEGER REFERENCES inbox (id),  -- NULL for a notice
	turn         INTEGER REFERENCES turn (id),   -- NULL where no turn said it
	kind         TEXT NOT NULL CHECK (kind <> ''),
	text         TEXT NOT NULL,
	created_at   INTEGER NOT NULL,
	delivered_at INTEGER, outcome TEXT CHECK (outcome IN ('sent', 'unknown', 'failed')), why TEXT NOT NULL DEFAULT ''          -- of an outcome that is not sent
	CHECK ((outcome IS NULL) = (delivered_at IS NULL)), told INTEGER NOT NULL DEFAULT 0, buttons TEXT NOT NULL DEFAULT '', files TEXT NOT NULL DEFAULT '', vanish INTEGER NOT NULL DEFAULT 0, effects TEXT NOT NULL DEFAULT '', silent INTEGER NOT NULL DEFAULT 0, reply_to TEXT NOT NULL DEFAULT '',                        -- NULL while it waits
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE audit (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL,
	action     TEXT NOT NULL CHECK (action <> ''),
	detail     TEXT NOT NULL,
	created_at INTEGER NOT NULL
, chain BLOB) STRICT;
CREATE TABLE source (
	name TEXT PRIMARY KEY CHECK (name <> ''),
	next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE received (
	source      TEXT NOT NULL,
	id          INTEGER NOT NULL,       -- the source's own; it may give one again after a while
	user        TEXT NOT NULL,
	raw         TEXT NOT NULL,
	received_at INTEGER NOT NULL,
	PRIMARY KEY (source, id)
) STRICT;
CREATE TABLE post (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),    -- whose reply it shows; NULL where no turn said it
	delivery     INTEGER REFERENCES outbox (id),  -- NULL while the turn runs
	part         INTEGER NOT NULL CHECK (part >= 0),
	state        TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'unknown', 'failed', 'surplus', 'deleted')),
	repeat       INTEGER NOT NULL DEFAULT 0,      -- 1: an earlier sending of it has a fate that is not known
	message      TEXT NOT NULL DEFAULT '',        -- the channel's own name of it
	content      TEXT NOT NULL CHECK (json_type(content) = 'object'),  -- what it is to show: a RichText
	changed_at   INTEGER NOT NULL,
	CHECK (turn IS NOT NULL OR delivery IS NOT NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE freeze (
	source TEXT NOT NULL,
	chat   TEXT NOT NULL,
	until  INTEGER NOT NULL,
	PRIMARY KEY (source, chat)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	conversation INTEGER,                          -- NULL where it was for none
	turn         INTEGER REFERENCES turn (id),     -- NULL where no turn asked for it
	message      INTEGER REFERENCES message (id),  -- what the model said; NULL where that is not in the transcript
	spec         TEXT NOT NULL,                    -- provider/model; '' is not known
	model        TEXT NOT NULL,                    -- as the provider names it
	purpose      TEXT NOT NULL CHECK (purpose <> ''),
	class        TEXT CHECK (class <> ''),         -- of its failure; NULL where it succeeded
	input        INTEGER NOT NULL,
	output       INTEGER NOT NULL,
	cache_read   INTEGER NOT NULL,
	cache_write  INTEGER NOT NULL,
	cost         INTEGER,                          -- in millionths of a dollar; NULL where no price was known
	request      TEXT NOT NULL,                    -- the provider's own name of the call; '' where it gave none
	created_at   INTEGER NOT NULL, estimated INTEGER NOT NULL DEFAULT 0, asked TEXT, pot TEXT CHECK (instr(pot, '/') > 0),
	CHECK (message IS NULL OR class IS NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE person (
	name       TEXT PRIMARY KEY CHECK (name <> ''),
	role       TEXT NOT NULL CHECK (role IN ('admin', 'user')),
	account    TEXT NOT NULL,                -- the OS account; '' is the service's own
	timezone   TEXT NOT NULL,
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE suspended (
	user       TEXT PRIMARY KEY CHECK (user <> ''),
	created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE binding (
	channel    TEXT NOT NULL CHECK (channel <> ''),
	account    TEXT NOT NULL CHECK (account <> ''),  -- the channel's own number of it
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (channel, account)
) STRICT, WITHOUT ROWID;
CREATE TABLE invite (
	digest     TEXT PRIMARY KEY CHECK (length(digest) = 64),
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	expires_at INTEGER NOT NULL,
	used_at    INTEGER,
	enrol      INTEGER NOT NULL DEFAULT 0    -- 1: it also lets its person enrol a second factor in the chat
) STRICT, WITHOUT ROWID;
CREATE TABLE allowed_group (
	channel    TEXT NOT NULL CHECK (channel <> ''),
	chat       TEXT NOT NULL CHECK (chat <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (channel, chat)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE login (
	user      TEXT NOT NULL CHECK (user <> ''),
	channel   TEXT NOT NULL CHECK (channel <> ''),
	chat      TEXT NOT NULL,
	opened_at INTEGER NOT NULL,
	used_at   INTEGER NOT NULL,
	PRIMARY KEY (user, channel, chat)
) STRICT, WITHOUT ROWID;
CREATE TABLE granted (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	tool       TEXT NOT NULL,
	subject    TEXT NOT NULL CHECK (length(subject) = 64),
	text       TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER
) STRICT;
CREATE TABLE extension (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	turn       INTEGER NOT NULL REFERENCES turn (id),
	amount     INTEGER NOT NULL CHECK (amount > 0),
	created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE spent (
	user    TEXT NOT NULL,
	quarter INTEGER NOT NULL,
	cost    INTEGER NOT NULL,  -- in millionths of a dollar
	PRIMARY KEY (user, quarter)
) STRICT, WITHOUT ROWID;
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
, inbound INTEGER REFERENCES inbox (id), position INTEGER NOT NULL DEFAULT 0) STRICT;
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
	sha256     TEXT CHECK (length(sha256) = 64), failure TEXT NOT NULL DEFAULT '', content_id TEXT NOT NULL DEFAULT '',    -- of its bytes in the spool; NULL until they were fetched
	PRIMARY KEY (inbound, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE "turn" (
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
	ended_at     INTEGER, ran INTEGER NOT NULL DEFAULT 0, name TEXT CHECK (name <> ''), prompt_files TEXT NOT NULL DEFAULT '' CHECK (prompt_files IN ('', 'reported', 'programs')),
	CHECK ((why IS NULL) = (ended_at IS NULL)),
	CHECK ((inbound IS NULL) = (parent IS NOT NULL)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user),
	FOREIGN KEY (destination, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE host_uid (
	uid        INTEGER PRIMARY KEY CHECK (uid > 0),
	user       TEXT UNIQUE CHECK (user <> ''),  -- whose it is; NULL is nobody's any more: it is given to no other
	created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE "inbox" (
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
	parts        TEXT CHECK (json_type(parts) = 'array'), quote TEXT NOT NULL DEFAULT '', edited_at INTEGER NOT NULL DEFAULT 0, edited_by INTEGER NOT NULL DEFAULT 0, told TEXT, first_file INTEGER NOT NULL DEFAULT 0, priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (-1, 0, 1)), replies_to TEXT NOT NULL DEFAULT '', own_text INTEGER NOT NULL DEFAULT 0 CHECK (own_text IN (0, 1)),  -- what the model reads behind the text; NULL is nothing
	UNIQUE (user, source, key),
	CHECK (command IS NULL OR kind = 'command'),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user),
	FOREIGN KEY (destination, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE "blob" (
	user       TEXT NOT NULL,
	sha256     TEXT NOT NULL CHECK (length(sha256) = 64),
	size       INTEGER NOT NULL CHECK (size >= 0),
	turn       INTEGER REFERENCES turn (id),  -- NULL: none
	created_at INTEGER NOT NULL, before INTEGER NOT NULL DEFAULT 0, forgotten INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (user, sha256)
) STRICT, WITHOUT ROWID;
CREATE TABLE speech (
	delivery   INTEGER PRIMARY KEY REFERENCES outbox (id),  -- whose text is said
	user       TEXT NOT NULL,
	only       INTEGER NOT NULL,                -- 1: the delivery is held back; it is sent where this fails
	operations TEXT NOT NULL DEFAULT '',        -- those that make the recordings, in order (JSON); '' while there are none
	recording  INTEGER REFERENCES outbox (id)   -- the delivery of the recordings; NULL while they are made
) STRICT;
CREATE TABLE operation_piece (
	operation INTEGER NOT NULL REFERENCES operation (id),
	position  INTEGER NOT NULL CHECK (position >= 0),
	user      TEXT NOT NULL,
	language  TEXT NOT NULL,  -- '' is not known
	text      TEXT NOT NULL,  -- '' where nothing is said
	PRIMARY KEY (operation, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE "lease" (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),          -- NULL: none
	spec         TEXT NOT NULL,
	amount       INTEGER NOT NULL CHECK (amount >= 0),  -- the most that the call can cost, in millionths of a dollar
	created_at   INTEGER NOT NULL, pot TEXT CHECK (instr(pot, '/') > 0),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE "cleaning" (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	message      TEXT NOT NULL CHECK (message <> ''),
	what         TEXT NOT NULL CHECK (what IN ('delete', 'unbutton', 'edit')),
	content      TEXT NOT NULL DEFAULT '' CHECK ((what = 'edit') = (content <> '')),  -- what it is to show: a RichText
	due_at       INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE undo (
	effect     INTEGER PRIMARY KEY REFERENCES effect (id),
	user       TEXT NOT NULL,
	turn       INTEGER NOT NULL REFERENCES turn (id),
	operation  INTEGER NOT NULL,  -- the undo that made the change; 0: the turn
	path       TEXT NOT NULL,
	moved_to   TEXT NOT NULL,     -- '' is not moved
	before     TEXT NOT NULL,     -- what was at the path: '' nothing, the SHA-256 of a file's bytes, or what protocol.FileState has
	after      TEXT NOT NULL,     -- likewise, afterwards
	size       INTEGER NOT NULL CHECK (size >= 0),
	mode       INTEGER NOT NULL,  -- of the file before
	why_not    TEXT NOT NULL,     -- why nothing takes it back; '' where something does
	undone_by  INTEGER,           -- the operation that has taken it back
	told       INTEGER NOT NULL DEFAULT 0,  -- of what an undo has done: the model knows
	created_at INTEGER NOT NULL
, from_point INTEGER NOT NULL DEFAULT 0, to_point INTEGER NOT NULL DEFAULT 0, shared INTEGER NOT NULL DEFAULT 0, kept INTEGER NOT NULL DEFAULT 0, nonce TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE "effect" (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user        TEXT NOT NULL,
	turn        INTEGER REFERENCES turn (id),   -- NULL: none did it
	call        TEXT NOT NULL,                  -- '': no tool call did it
	kind        TEXT NOT NULL CHECK (kind <> ''),
	target      TEXT NOT NULL,
	detail      TEXT NOT NULL,
	reported_by TEXT NOT NULL CHECK (reported_by IN ('worker', 'supervisor')),
	created_at  INTEGER NOT NULL
, delivery INTEGER NOT NULL DEFAULT 0, told INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE "question" (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	digest       TEXT NOT NULL UNIQUE CHECK (length(digest) = 64),  -- of the nonce that its buttons carry
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),    -- that waits for the answer; NULL where none does
	inbound      INTEGER REFERENCES inbox (id) ON DELETE SET NULL,  -- the command or the press that waits
	call         TEXT NOT NULL DEFAULT '',        -- of the turn: the model's call that waits
	kind         TEXT NOT NULL CHECK (kind IN ('budget', 'approval', 'code', 'ask')),
	tool         TEXT NOT NULL DEFAULT '',        -- with kind approval and code: what wants to be done
	subject      TEXT NOT NULL CHECK (length(subject) = 64),  -- digest of exactly what was asked about
	amount       INTEGER NOT NULL DEFAULT 0,      -- with kind budget: millionths of a dollar
	ask          TEXT CHECK (json_type(ask) = 'object'),  -- with kind ask: what answer is wanted
	text         TEXT NOT NULL,                   -- what the person read
	delivery     INTEGER REFERENCES outbox (id),  -- by which they read it
	stands       INTEGER NOT NULL,                -- milliseconds, from its delivery
	created_at   INTEGER NOT NULL,
	expires_at   INTEGER,                         -- NULL until it was delivered
	draft        TEXT CHECK (json_type(draft) = 'object'),  -- an answer that the person is putting together
	why          TEXT CHECK (why IN ('answered', 'expired', 'over', 'unneeded', 'undelivered')),  -- NULL while it is open
	answer       TEXT,                            -- as JSON; NULL but where it was answered
	ended_at     INTEGER,
	used_at      INTEGER, ends_at INTEGER, held INTEGER,                         -- its asker has had the end: an answer counts once
	CHECK ((why IS NULL) = (ended_at IS NULL)),
	CHECK ((why IS 'answered') = (answer IS NOT NULL)),
	CHECK ((kind = 'ask') = (ask IS NOT NULL)),
	CHECK (answer IS NULL OR coalesce(CASE kind
		WHEN 'budget'   THEN answer ->> 'say' IN ('once', 'deny')
		WHEN 'code'     THEN answer ->> 'say' IN ('once', 'deny')
		WHEN 'approval' THEN answer ->> 'say' IN ('once', 'always', 'deny')
		WHEN 'ask'      THEN answer ->> 'say' IN ('this', 'once', 'deny') END, 0)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE webhook_delivery (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL,                        -- whose it is; '' is nobody's
	source     TEXT NOT NULL CHECK (source <> ''),   -- github, or hook/NAME
	hook       TEXT NOT NULL,                        -- the sender's own name of the webhook; '' where it has none
	key        TEXT NOT NULL,                        -- the sender's own name of the delivery, which nothing vouches for
	body       TEXT NOT NULL,                        -- SHA-256 of what was sent, in hexadecimal
	size       INTEGER NOT NULL,                     -- bytes of it that are in the spool; 0 when they are gone
	event      TEXT NOT NULL CHECK (octet_length(event) <= 8192 AND json_valid(event)),
	state      TEXT NOT NULL CHECK (state IN ('new', 'done', 'ignored', 'failed')),
	why        TEXT NOT NULL,                        -- it was ignored, or has failed
	created_at INTEGER NOT NULL,
	ended_at   INTEGER,
	UNIQUE (user, source, key, hook, body)
) STRICT;
CREATE TABLE triage (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	repo       TEXT NOT NULL CHECK (repo <> ''),     -- owner/name in lower case
	number     INTEGER NOT NULL CHECK (number > 0),
	state      TEXT NOT NULL CHECK (state IN ('settling', 'queued', 'done', 'skipped', 'failed')),
	round      INTEGER NOT NULL DEFAULT 1,           -- how often it was wanted
	asked      TEXT NOT NULL,                        -- who has asked for it; '' where it is done by itself
	wanted_at  INTEGER NOT NULL,                     -- the newest wish: told of again, it changes nothing
	due_at     INTEGER NOT NULL,
	report     TEXT NOT NULL DEFAULT '',             -- what came of reading it, as JSON; '' is nothing yet
	labels     TEXT NOT NULL DEFAULT '[]',           -- ours on the issue, or about to be
	comment    INTEGER NOT NULL DEFAULT 0,           -- ours on GitHub; 0 is none, or not known
	why        TEXT NOT NULL DEFAULT '',             -- of one that was skipped or has failed
	updated_at INTEGER NOT NULL,
	UNIQUE (user, repo, number)
) STRICT;
CREATE TABLE repository_notice (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	repo         TEXT NOT NULL CHECK (repo <> ''),                      -- owner/name in lower case
	key          TEXT NOT NULL CHECK (key <> ''),                       -- the same for what is told in one message
	event        TEXT NOT NULL CHECK (json_type(event) = 'object'),
	due_at       INTEGER NOT NULL,                                      -- of the first of them all are told
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE repository_told (
	delivery INTEGER PRIMARY KEY REFERENCES outbox (id),
	user     TEXT NOT NULL,
	repo     TEXT NOT NULL,
	number   INTEGER NOT NULL
) STRICT;
CREATE TABLE repository_check (
	repo TEXT NOT NULL,
	ref  TEXT NOT NULL,
	name TEXT NOT NULL,
	head TEXT NOT NULL,     -- the commit at which it failed last
	at   INTEGER NOT NULL,
	PRIMARY KEY (repo, ref, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE review (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	repo       TEXT NOT NULL CHECK (repo <> ''),     -- owner/name in lower case
	number     INTEGER NOT NULL CHECK (number > 0),
	head       TEXT NOT NULL DEFAULT '',             -- commit; '' until it was looked at
	state      TEXT NOT NULL CHECK (state IN ('settling', 'queued', 'confirming', 'running', 'done', 'skipped', 'failed')),
	round      INTEGER NOT NULL DEFAULT 1,           -- how often it was wanted
	asked      TEXT NOT NULL DEFAULT '',             -- who has asked for it; '' where it is done by itself
	text       TEXT NOT NULL DEFAULT '',             -- what they want to know
	wanted_at  INTEGER NOT NULL,                     -- the newest wish: told of again, it changes nothing
	due_at     INTEGER,                              -- NULL is never
	turn       INTEGER,                              -- that does it
	change     TEXT NOT NULL DEFAULT '',             -- SHA-256 of what was read on GitHub
	result     TEXT NOT NULL DEFAULT '',             -- what came of that, as JSON
	posted     TEXT NOT NULL DEFAULT '',             -- what stands on GitHub, or is about to, as JSON
	buttons    TEXT NOT NULL DEFAULT '',             -- below its card, as JSON
	why        TEXT NOT NULL DEFAULT '',             -- of one that was skipped or has failed
	updated_at INTEGER NOT NULL,
	UNIQUE (user, repo, number, head)
) STRICT;
CREATE TABLE review_mute (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	repo       TEXT NOT NULL CHECK (repo <> ''),
	kind       TEXT NOT NULL CHECK (kind IN ('finding', 'pull', 'label')),
	subject    TEXT NOT NULL CHECK (subject <> ''),  -- a fingerprint, a number, or a label
	why        TEXT NOT NULL DEFAULT '',
	by         TEXT NOT NULL DEFAULT '',             -- who wants that
	created_at INTEGER NOT NULL, number INTEGER NOT NULL DEFAULT 0, path TEXT NOT NULL DEFAULT '', title TEXT NOT NULL DEFAULT '', code TEXT NOT NULL DEFAULT '', removed_at INTEGER,
	UNIQUE (user, repo, kind, subject)
) STRICT;
CREATE TABLE opened_tool (
	conversation INTEGER NOT NULL,
	name         TEXT NOT NULL CHECK (name <> ''),
	user         TEXT NOT NULL,
	position     INTEGER NOT NULL,            -- in the order of opening
	opened_at    INTEGER NOT NULL,
	used_at      INTEGER NOT NULL,            -- when it was called last; opened_at of one that was not
	kept         INTEGER NOT NULL DEFAULT 0, call TEXT NOT NULL DEFAULT '',  -- 1: the person wants it to stay open
	PRIMARY KEY (conversation, name),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT, WITHOUT ROWID;
CREATE TABLE forgotten (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	message      INTEGER NOT NULL DEFAULT 0,     -- that it went by; 0 is none
	digest       TEXT NOT NULL DEFAULT '',       -- SHA-256 of its words, as supervisor.DigestOfWords has it
	fact         INTEGER NOT NULL DEFAULT 0,     -- the number of its id; 0 is none
	forgotten_at INTEGER NOT NULL,
	UNIQUE (user, message, digest, fact)
) STRICT;
CREATE TABLE fact_use (
	user TEXT NOT NULL CHECK (user <> ''),
	fact TEXT NOT NULL CHECK (fact <> ''),       -- its id
	day  TEXT NOT NULL,                          -- 2026-11-20
	uses INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (user, fact, day)
) STRICT;
CREATE TABLE system_text (
	conversation INTEGER PRIMARY KEY,
	user         TEXT NOT NULL,
	text         TEXT NOT NULL,               -- '' is none
	window_from  INTEGER NOT NULL,            -- the conversation's as it was put together
	stale        INTEGER NOT NULL DEFAULT 0,  -- how often it was said since that it must not be used any more
	renewed_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
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
CREATE TABLE forgetting (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	inbound      INTEGER NOT NULL UNIQUE,      -- the press or the command that wants it
	conversation INTEGER NOT NULL,             -- 0 is all that the person has
	since        INTEGER NOT NULL,
	until        INTEGER NOT NULL,             -- and not beyond
	next         INTEGER NOT NULL DEFAULT 0,   -- nothing is left of what was sent before this inbound
	counts       TEXT NOT NULL DEFAULT '{}',   -- what is gone, as JSON
	created_at   INTEGER NOT NULL,
	ended_at     INTEGER                       -- NULL while something is left
) STRICT;
CREATE TABLE forgotten_turn (
	turn     INTEGER PRIMARY KEY,
	user     TEXT NOT NULL CHECK (user <> ''),
	since    INTEGER NOT NULL,   -- when it was sent what the turn has answered
	messages TEXT NOT NULL,      -- a JSON array of the ids of what was sent
	notes    TEXT NOT NULL       -- a JSON array of the texts of notes that were made
) STRICT;
CREATE TABLE forgotten_fact (
	id   INTEGER PRIMARY KEY AUTOINCREMENT,
	user TEXT NOT NULL CHECK (user <> ''),
	fact TEXT NOT NULL CHECK (fact <> ''),   -- its id
	text TEXT NOT NULL
) STRICT;
CREATE TABLE job (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	kind         TEXT NOT NULL CHECK (kind IN ('reminder', 'agent', 'check', 'routine')),
	state        TEXT NOT NULL CHECK (state IN ('proposed', 'active', 'paused', 'done')),
	name         TEXT NOT NULL DEFAULT '',
	text         TEXT NOT NULL,
	rule         TEXT NOT NULL,                 -- when it is due, as JSON
	zone         TEXT NOT NULL,                 -- '' is the machine's
	conversation INTEGER NOT NULL,              -- where it was made
	made_by      TEXT NOT NULL CHECK (made_by <> ''),
	options      TEXT NOT NULL DEFAULT '{}',    -- JSON
	version      INTEGER NOT NULL DEFAULT 1,
	since        INTEGER NOT NULL,              -- all up to then was fired
	next         INTEGER,                       -- when it is due; NULL is never
	fired        INTEGER NOT NULL DEFAULT 0,
	failures     INTEGER NOT NULL DEFAULT 0,    -- of its last fires
	created_at   INTEGER NOT NULL,
	changed_at   INTEGER NOT NULL, expires_at INTEGER CHECK (state = 'proposed' OR expires_at IS NULL),
	CHECK (state = 'active' OR next IS NULL),
	UNIQUE (user, made_by),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE fire (
	job      INTEGER NOT NULL REFERENCES job (id),
	due      INTEGER NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	state    TEXT NOT NULL CHECK (state IN ('claimed', 'running', 'asked', 'said', 'silent', 'failed', 'missed', 'skipped')),
	begin_at INTEGER,                           -- of a claimed one; of one that is leased, when it would begin again
	leased   INTEGER NOT NULL DEFAULT 0,        -- a claimed one is looked at
	tries    INTEGER NOT NULL DEFAULT 0,        -- that came to nothing
	by_hand  INTEGER NOT NULL DEFAULT 0,        -- it was run while its job was paused
	inbound  INTEGER,                           -- of its turn
	delivery INTEGER,                           -- what was said of it
	held     INTEGER,                           -- what is yet to be said of it, in held_notice
	text     TEXT NOT NULL DEFAULT '',          -- what a turn has said
	why      TEXT NOT NULL DEFAULT '',          -- of one that failed: 'budget' where there was no room in one; else ''
	seen     TEXT NOT NULL DEFAULT '',          -- what the job has seen once its turn has ended well
	material TEXT NOT NULL DEFAULT '',          -- what came with it from outside
	world    INTEGER NOT NULL DEFAULT 0,        -- that may have words of somebody else than the person
	cost     INTEGER NOT NULL DEFAULT 0,        -- millionths of a dollar
	told     INTEGER NOT NULL DEFAULT 0,        -- the model of the chat knows of it
	fired_at INTEGER NOT NULL,
	began_at INTEGER,                           -- its turn or its look, the last time
	ended_at INTEGER,
	PRIMARY KEY (job, due),
	CHECK ((state = 'claimed') = (begin_at IS NOT NULL)),
	CHECK (state <> 'running' OR inbound IS NOT NULL)
) STRICT;
CREATE TABLE job_seen (
	job        INTEGER PRIMARY KEY REFERENCES job (id),
	user       TEXT NOT NULL CHECK (user <> ''),
	seen       TEXT NOT NULL,                   -- JSON of whoever looks
	changed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE held_notice (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	conversation INTEGER NOT NULL,
	job          INTEGER,                       -- of which it is the newest with that state there; NULL is of none, or of several
	state        TEXT NOT NULL DEFAULT '',      -- of its fire
	earlier      INTEGER NOT NULL DEFAULT 0,    -- how many came before it and are no more
	text         TEXT NOT NULL,
	buttons      TEXT NOT NULL DEFAULT '',      -- JSON
	effects      TEXT NOT NULL DEFAULT '',      -- JSON
	silent       INTEGER NOT NULL DEFAULT 0,    -- it makes no sound
	due_at       INTEGER NOT NULL,              -- when it is said
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE review_finding (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user        TEXT NOT NULL CHECK (user <> ''),
	repo        TEXT NOT NULL CHECK (repo <> ''),     -- owner/name in lower case
	number      INTEGER NOT NULL CHECK (number > 0),
	fingerprint TEXT NOT NULL CHECK (fingerprint <> ''),
	state       TEXT NOT NULL CHECK (state IN ('open', 'changed', 'fixed', 'refuted')),
	found       TEXT NOT NULL,                        -- the first head with the finding
	seen        TEXT NOT NULL,                        -- the last head in which its lines were read
	fixed       TEXT NOT NULL DEFAULT '',             -- the head without it; '' for other states
	posted      INTEGER NOT NULL DEFAULT 0,           -- 1: it is on GitHub
	turn        INTEGER,                              -- the turn that found it; NULL if not known
	finding     TEXT NOT NULL,                        -- the finding as JSON
	updated_at  INTEGER NOT NULL,
	UNIQUE (user, repo, number, fingerprint)
) STRICT;
CREATE TABLE question_reminder (
	delivery INTEGER PRIMARY KEY REFERENCES outbox (id),
	user     TEXT NOT NULL CHECK (user <> ''),
	question INTEGER NOT NULL REFERENCES question (id)
) STRICT;
CREATE TABLE refusing_chat (
	channel  TEXT NOT NULL,
	chat     TEXT NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	tries    INTEGER NOT NULL,  -- how often the chat has refused; 0 once the user is back
	retry_at INTEGER,           -- in milliseconds; NULL while the jobs go on
	PRIMARY KEY (channel, chat, user)
) STRICT, WITHOUT ROWID;
CREATE TABLE check_command (
	user     TEXT PRIMARY KEY CHECK (user <> ''),
	began_at INTEGER NOT NULL                      -- in milliseconds
) STRICT;
CREATE TABLE external_call (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	call       TEXT NOT NULL CHECK (call <> ''),
	user       TEXT NOT NULL CHECK (user <> ''),
	repeatable INTEGER NOT NULL,            -- 1: the call may be made again if it has no answer
	answer     TEXT,                        -- for the worker, as JSON; NULL while there is none
	origins    TEXT NOT NULL DEFAULT '[]',  -- where words of others in the answer come from, as JSON
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, call)
) STRICT, WITHOUT ROWID;
CREATE TABLE external_blob (
	user   TEXT NOT NULL CHECK (user <> ''),
	sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
	turn   INTEGER NOT NULL,
	call   TEXT NOT NULL,
	size   INTEGER NOT NULL CHECK (size >= 0),
	PRIMARY KEY (user, sha256, turn, call),
	FOREIGN KEY (turn, call) REFERENCES external_call (turn, call)
) STRICT, WITHOUT ROWID;
CREATE TABLE marked_file (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	user      TEXT NOT NULL CHECK (user <> ''),
	path      TEXT NOT NULL CHECK (path <> ''),   -- relative to the home; of a folder, all below it is marked
	origins   TEXT NOT NULL CHECK (json_type(origins) = 'array'),
	turn      INTEGER,                            -- the turn that wrote the file
	marked_at INTEGER NOT NULL,                   -- in milliseconds
	ended     INTEGER NOT NULL DEFAULT 0,         -- 1: the file was replaced or deleted; a restore renews the mark
	merged    INTEGER NOT NULL DEFAULT 0,         -- 1: a folder in place of its many marked files
	UNIQUE (user, path)
) STRICT;
CREATE TABLE marked_content (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	user      TEXT NOT NULL CHECK (user <> ''),
	digest    TEXT NOT NULL CHECK (digest <> ''), -- SHA-256
	origins   TEXT NOT NULL CHECK (json_type(origins) = 'array'),
	turn      INTEGER,                            -- the turn that wrote the bytes
	marked_at INTEGER NOT NULL,                   -- in milliseconds
	UNIQUE (user, digest)
) STRICT;
CREATE TABLE web_address (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	digest     TEXT NOT NULL CHECK (length(digest) = 64),
	source     TEXT NOT NULL CHECK (source IN ('page', 'search')),
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, digest, source)
) STRICT, WITHOUT ROWID;
CREATE TABLE web_fetch (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	call       TEXT NOT NULL CHECK (call <> ''),
	domain     TEXT NOT NULL,
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, call)
) STRICT, WITHOUT ROWID;
CREATE TABLE file_reminder (
	id         INTEGER PRIMARY KEY,
	user       TEXT NOT NULL,
	file       TEXT NOT NULL,
	item       TEXT NOT NULL,      -- number of the to-do, or UID of the event
	occurrence TEXT NOT NULL,
	trigger    TEXT NOT NULL,
	written    TEXT NOT NULL,      -- time of the to-do or event, as the file has it
	lead       INTEGER NOT NULL,   -- seconds from the reminder to that time
	date_only  INTEGER NOT NULL,
	title      TEXT NOT NULL,
	world      INTEGER NOT NULL,   -- the title may have words of others
	due_at     INTEGER NOT NULL,   -- time of the reminder
	zone       TEXT NOT NULL,      -- time zone for which due_at was computed
	state      TEXT NOT NULL CHECK (state IN ('waiting', 'said', 'counted')),
	delivery   INTEGER REFERENCES outbox (id) ON DELETE SET NULL,
	told       INTEGER NOT NULL DEFAULT 0,   -- the model has the text
	created_at INTEGER NOT NULL,
	changed_at INTEGER NOT NULL,
	UNIQUE (user, file, item, occurrence, trigger)
) STRICT;
CREATE TABLE file_reminder_day (
	user        TEXT PRIMARY KEY,
	day         TEXT NOT NULL,               -- the day in the user's time zone
	said        INTEGER NOT NULL,            -- reminders of that day
	counted     INTEGER NOT NULL,            -- a message has counted the other reminders of that day
	reported_at INTEGER NOT NULL DEFAULT 0   -- when the worker reported last
) STRICT, WITHOUT ROWID;
CREATE TABLE todo_section (
	user    TEXT NOT NULL CHECK (user <> ''),
	digest  TEXT NOT NULL CHECK (length(digest) = 24),
	seen_at INTEGER NOT NULL,                  -- in milliseconds
	PRIMARY KEY (user, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE calendar_subscription (
	user       TEXT NOT NULL CHECK (user <> ''),
	name       TEXT NOT NULL CHECK (name <> ''),
	host       TEXT NOT NULL,               -- host in the address
	secret     BLOB NOT NULL,               -- the sealed address
	digest     TEXT NOT NULL,               -- SHA-256 of the address
	inbound    INTEGER NOT NULL,            -- the command that had the address
	created_at INTEGER NOT NULL,
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE calendar_copy (
	user       TEXT NOT NULL CHECK (user <> ''),
	name       TEXT NOT NULL CHECK (name <> ''),
	digest     TEXT NOT NULL,               -- SHA-256 of the address
	sha256     TEXT NOT NULL,               -- the blob; '' means none
	size       INTEGER NOT NULL,
	tag        TEXT NOT NULL,               -- the server's ETag
	modified   TEXT NOT NULL,               -- the server's Last-Modified
	fetched_at INTEGER NOT NULL,            -- when the server sent or confirmed the copy; 0 means never
	tried_at   INTEGER NOT NULL,            -- when a fetch was tried last
	failure    TEXT NOT NULL,               -- why that fetch failed; '' means that it did not
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX message_conversation ON message (conversation, id);
CREATE INDEX message_turn ON message (turn, id);
CREATE INDEX tool_call_open ON tool_call (turn, message, position) WHERE result IS NULL;
CREATE INDEX outbox_conversation ON outbox (conversation, id);
CREATE INDEX outbox_inbound ON outbox (inbound) WHERE inbound IS NOT NULL;
CREATE INDEX outbox_waiting ON outbox (conversation, id) WHERE delivered_at IS NULL;
CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
BEGIN
	SELECT RAISE (ABORT, 'the audit log is append-only');
END;
CREATE TRIGGER audit_is_not_deleted BEFORE DELETE ON audit
BEGIN
	SELECT RAISE (ABORT, 'the audit log is append-only');
END;
CREATE INDEX conversation_chat ON conversation (channel, chat);
CREATE INDEX received_at ON received (received_at);
CREATE INDEX outbox_lost ON outbox (conversation, id) WHERE outcome IN ('unknown', 'failed');
CREATE UNIQUE INDEX post_turn ON post (turn, part) WHERE turn IS NOT NULL AND state <> 'deleted';
CREATE UNIQUE INDEX post_delivery ON post (delivery, part) WHERE delivery IS NOT NULL AND state <> 'deleted';
CREATE UNIQUE INDEX usage_message ON usage (message) WHERE message IS NOT NULL;
CREATE INDEX usage_time ON usage (created_at);
CREATE INDEX binding_user ON binding (user);
CREATE INDEX invite_user ON invite (user);
CREATE UNIQUE INDEX granted_live ON granted (user, subject) WHERE revoked_at IS NULL;
CREATE INDEX extension_user ON extension (user, created_at, amount);
CREATE INDEX extension_turn ON extension (turn, amount);
CREATE INDEX usage_cost ON usage (user, created_at, cost);
CREATE INDEX usage_turn ON usage (turn, cost) WHERE turn IS NOT NULL;
CREATE INDEX tool_call_turn ON tool_call (turn);
CREATE INDEX tool_call_message ON tool_call (message);
CREATE INDEX tool_call_result ON tool_call (result);
CREATE INDEX outbox_turn ON outbox (turn);
CREATE INDEX post_of_turn ON post (turn);
CREATE INDEX post_of_delivery ON post (delivery);
CREATE INDEX operation_open ON operation (id) WHERE state IN ('waiting', 'running');
CREATE INDEX operation_user ON operation (user, id);
CREATE UNIQUE INDEX turn_running ON turn (conversation) WHERE ended_at IS NULL;
CREATE INDEX turn_parent ON turn (parent) WHERE parent IS NOT NULL;
CREATE INDEX turn_destination ON turn (destination) WHERE destination IS NOT NULL;
CREATE INDEX inbox_waiting ON inbox (conversation, id) WHERE state = 'new' AND held = 0;
CREATE INDEX inbox_arriving ON inbox (conversation, id) WHERE state = 'arriving';
CREATE INDEX inbox_command ON inbox (conversation, id) WHERE command IS NOT NULL;
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE turn IS NOT NULL;
CREATE INDEX inbox_destination ON inbox (destination) WHERE destination IS NOT NULL;
CREATE INDEX inbox_held ON inbox (user, conversation, id) WHERE held = 1;
CREATE INDEX inbox_challenged ON inbox (user, conversation, asked, changed_at) WHERE held = 1 AND challenged = 1;
CREATE INDEX inbox_unread ON inbox (conversation) WHERE unread = 1;
CREATE UNIQUE INDEX operation_inbound ON operation (inbound, kind, position) WHERE inbound IS NOT NULL;
CREATE INDEX blob_turn ON blob (turn);
CREATE UNIQUE INDEX speech_recording ON speech (recording) WHERE recording IS NOT NULL;
CREATE INDEX speech_only ON speech (delivery) WHERE only = 1;
CREATE TRIGGER operation_deleted BEFORE DELETE ON operation BEGIN
	DELETE FROM operation_piece WHERE operation = OLD.id;
END;
CREATE INDEX post_message ON post (conversation, message) WHERE message <> '';
CREATE INDEX inbox_message ON inbox (conversation, message) WHERE message <> '';
CREATE INDEX inbox_told ON inbox (conversation) WHERE told IS NOT NULL;
CREATE INDEX cleaning_due ON cleaning (due_at);
CREATE INDEX undo_turn ON undo (turn, effect);
CREATE INDEX undo_user ON undo (user, turn);
CREATE INDEX undo_untold ON undo (user) WHERE operation > 0 AND told = 0;
CREATE INDEX effect_turn ON effect (turn, id);
CREATE INDEX effect_user ON effect (user, created_at);
CREATE INDEX question_turn ON question (turn, subject) WHERE turn IS NOT NULL;
CREATE INDEX question_inbound ON question (inbound, subject) WHERE inbound IS NOT NULL;
CREATE INDEX question_open ON question (conversation) WHERE why IS NULL;
CREATE INDEX question_waits ON question (turn) WHERE why IS NULL;
CREATE INDEX question_expires ON question (expires_at) WHERE why IS NULL;
CREATE INDEX question_delivery ON question (delivery) WHERE delivery IS NOT NULL;
CREATE INDEX question_unused ON question (turn) WHERE why IS NOT NULL AND used_at IS NULL AND turn IS NOT NULL;
CREATE TRIGGER usage_is_spent AFTER INSERT ON usage WHEN new.cost > 0
BEGIN
	INSERT INTO spent (user, quarter, cost) VALUES
		(coalesce(new.pot, new.user), new.created_at / 900000, new.cost), ('', new.created_at / 900000, new.cost)
		ON CONFLICT (user, quarter) DO UPDATE SET cost = cost + excluded.cost;
END;
CREATE UNIQUE INDEX turn_name ON turn (parent, name) WHERE name IS NOT NULL;
CREATE INDEX webhook_delivery_new ON webhook_delivery (source, id) WHERE state = 'new';
CREATE INDEX webhook_delivery_size ON webhook_delivery (body, state, size) WHERE size > 0;
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
CREATE INDEX triage_open ON triage (due_at) WHERE state IN ('settling', 'queued');
CREATE INDEX repository_notice_due ON repository_notice (due_at);
CREATE INDEX repository_notice_key ON repository_notice (conversation, repo, key);
CREATE INDEX repository_told_number ON repository_told (repo, number);
CREATE INDEX review_due ON review (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX review_turn ON review (turn) WHERE turn IS NOT NULL;
CREATE UNIQUE INDEX review_active ON review (user, repo, number) WHERE state IN ('queued', 'confirming', 'running');
CREATE INDEX forgotten_digest ON forgotten (user, digest);
CREATE INDEX system_text_user ON system_text (user);
CREATE INDEX turn_user ON turn (user, started_at);
CREATE INDEX message_user ON message (user, created_at);
CREATE INDEX forgetting_open ON forgetting (id) WHERE ended_at IS NULL;
CREATE INDEX inbox_replies_to ON inbox (conversation, replies_to) WHERE replies_to <> '';
CREATE INDEX blob_forgotten ON blob (user) WHERE forgotten = 1;
CREATE INDEX attachment_sha256 ON attachment (sha256) WHERE sha256 IS NOT NULL;
CREATE INDEX forgotten_turn_user ON forgotten_turn (user, turn);
CREATE INDEX forgotten_fact_user ON forgotten_fact (user, id);
CREATE INDEX job_next ON job (next) WHERE next IS NOT NULL;
CREATE INDEX job_user ON job (user, state, id);
CREATE INDEX job_done ON job (changed_at) WHERE state = 'done';
CREATE INDEX job_conversation ON job (conversation, user);
CREATE INDEX fire_user ON fire (user, fired_at);
CREATE INDEX fire_fired_at ON fire (fired_at);
CREATE INDEX fire_begin ON fire (begin_at) WHERE state = 'claimed';
CREATE INDEX fire_open ON fire (job) WHERE state IN ('claimed', 'running', 'asked');
CREATE INDEX fire_untold ON fire (user) WHERE told = 0 AND delivery IS NOT NULL;
CREATE UNIQUE INDEX fire_inbound ON fire (inbound) WHERE inbound IS NOT NULL;
CREATE INDEX fire_delivery ON fire (delivery) WHERE delivery IS NOT NULL;
CREATE INDEX fire_held ON fire (held) WHERE held IS NOT NULL;
CREATE INDEX job_seen_user ON job_seen (user);
CREATE UNIQUE INDEX held_notice_job ON held_notice (job, state, conversation) WHERE job IS NOT NULL;
CREATE INDEX held_notice_due ON held_notice (due_at);
CREATE INDEX held_notice_user ON held_notice (user, created_at);
CREATE INDEX held_notice_conversation ON held_notice (conversation, user);
CREATE UNIQUE INDEX question_held ON question (held) WHERE held IS NOT NULL;
CREATE INDEX inbox_written ON inbox (user) WHERE kind IN ('text', 'command', 'press');
CREATE INDEX effect_delivery ON effect (delivery) WHERE delivery > 0;
CREATE INDEX effect_untold ON effect (user) WHERE told = 0;
CREATE INDEX job_expires ON job (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX review_finding_turn ON review_finding (turn) WHERE turn IS NOT NULL;
CREATE INDEX question_reminder_question ON question_reminder (question);
CREATE INDEX refusing_chat_retry ON refusing_chat (retry_at) WHERE retry_at IS NOT NULL;
CREATE INDEX operation_ended ON operation (kind, updated_at) WHERE inbound IS NULL AND state NOT IN ('waiting', 'running');
CREATE INDEX external_call_user ON external_call (user);
CREATE INDEX external_blob_call ON external_blob (turn, call);
CREATE INDEX marked_file_turn ON marked_file (turn) WHERE turn IS NOT NULL;
CREATE INDEX marked_file_user ON marked_file (user, marked_at);
CREATE INDEX marked_content_turn ON marked_content (turn) WHERE turn IS NOT NULL;
CREATE INDEX marked_content_user ON marked_content (user, marked_at);
CREATE INDEX message_world ON message (conversation, id) WHERE source = 'world';
CREATE INDEX web_address_digest ON web_address (digest, turn);
CREATE INDEX web_address_user ON web_address (user, created_at);
CREATE INDEX web_fetch_user ON web_fetch (user, created_at);
CREATE INDEX file_reminder_due ON file_reminder (due_at) WHERE state = 'waiting';
CREATE INDEX file_reminder_zone ON file_reminder (user, zone) WHERE state = 'waiting';
CREATE INDEX file_reminder_delivery ON file_reminder (delivery) WHERE delivery IS NOT NULL;
CREATE INDEX file_reminder_told ON file_reminder (user) WHERE told = 0 AND delivery IS NOT NULL;
CREATE INDEX todo_section_seen ON todo_section (user, seen_at);
CREATE INDEX calendar_copy_blob ON calendar_copy (sha256);
