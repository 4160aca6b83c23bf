-- A database of schema 6, as the version before schema 7 left it when it was killed: that version ran with two people on
-- Telegram, and this is what `sqlite3 mews.db .dump` printed then, with another address of the Bot API. It is never changed.
--
--   carl's first    answered; Telegram was being told the answer, and had said nothing yet
--   carl's second   answered; the answer waits behind that
--   ann's first     running; its first step, which wrote a line into log.txt, is committed, and the next call of the model has begun
--   ann's second    waits for the turn to end
PRAGMA application_id = 0x4d455753;
PRAGMA user_version = 6;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
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
INSERT INTO conversation VALUES(1,'carl','telegram','102','',0,1795405184768);
INSERT INTO conversation VALUES(2,'ann','telegram','101','',0,1795405186425);
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
	changed_at   INTEGER NOT NULL, message TEXT NOT NULL DEFAULT '', held INTEGER NOT NULL DEFAULT 0, challenged INTEGER NOT NULL DEFAULT 0, asked TEXT NOT NULL DEFAULT '', turn INTEGER REFERENCES turn (id) ON DELETE SET NULL,
	UNIQUE (user, source, key),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO inbox VALUES(1,'carl',1,'telegram/http://api.telegram.test/42','500001.1795405184','text','say carl''s first','answered',1795405184768,1795405186345,'1',0,0,'',NULL);
INSERT INTO inbox VALUES(2,'carl',1,'telegram/http://api.telegram.test/42','500002.1795405186','text','say carl''s second','answered',1795405186371,1795405186412,'2',0,0,'',NULL);
INSERT INTO inbox VALUES(3,'ann',2,'telegram/http://api.telegram.test/42','500003.1795405186','text',replace('append one line to log.txt\nsay ann''s first','\n',char(10)),'running',1795405186425,1795405186429,'3',0,0,'',NULL);
INSERT INTO inbox VALUES(4,'ann',2,'telegram/http://api.telegram.test/42','500004.1795405187','text','say ann''s second','new',1795405187062,1795405187062,'4',0,0,'',NULL);
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
INSERT INTO turn VALUES(1,'carl',1,'chat',1,0,'done',1795405184789,1795405186345);
INSERT INTO turn VALUES(2,'carl',1,'chat',2,0,'done',1795405186375,1795405186412);
INSERT INTO turn VALUES(3,'ann',2,'chat',3,0,NULL,1795405186429,NULL);
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
INSERT INTO message VALUES(1,'carl',1,1,'user','[{"text":"say carl''s first"}]',1795405184789);
INSERT INTO message VALUES(2,'carl',1,1,'assistant','[{"text":"done: say carl''s first"}]',1795405186311);
INSERT INTO message VALUES(3,'carl',1,2,'user','[{"text":"say carl''s second"}]',1795405186375);
INSERT INTO message VALUES(4,'carl',1,2,'assistant','[{"text":"done: say carl''s second"}]',1795405186386);
INSERT INTO message VALUES(5,'ann',2,3,'user','[{"text":"append one line to log.txt\nsay ann''s first"}]',1795405186429);
INSERT INTO message VALUES(6,'ann',2,3,'assistant','[{"call":{"id":"t3-1-1","name":"append_file","arguments":{"content":"one line\n","path":"log.txt"}}}]',1795405186855);
INSERT INTO message VALUES(7,'ann',2,3,'tool','[{"result":{"call":"t3-1-1","name":"append_file","text":"log.txt was created, 9 bytes.","changes":[{"kind":"append","target":"log.txt","detail":"created, 9 bytes"}]}}]',1795405186990);
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
INSERT INTO tool_call VALUES(2,'t3-1-1','ann',3,6,0,'append_file',1795405186871,7);
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
INSERT INTO effect VALUES(1,'ann',3,'t3-1-1','append','log.txt','created, 9 bytes',1795405186990);
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
	CHECK ((outcome IS NULL) = (delivered_at IS NULL)), told INTEGER NOT NULL DEFAULT 0, buttons TEXT NOT NULL DEFAULT '', files TEXT NOT NULL DEFAULT '', vanish INTEGER NOT NULL DEFAULT 0,                        -- NULL while it waits
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO outbox VALUES(1,'carl',1,1,1,'answer','done: say carl''s first',1795405186345,NULL,NULL,'',0,'','',0);
INSERT INTO outbox VALUES(2,'carl',1,2,2,'answer','done: say carl''s second',1795405186412,NULL,NULL,'',0,'','',0);
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
, chain BLOB) STRICT;
INSERT INTO audit VALUES(1,'','service.started','version test, process 19323, walls accounts',1795405184676,X'51d7f30299264984e0753e458c801d1b75eb81b1c2d2410d8a900815f9eecc20');
INSERT INTO audit VALUES(2,'carl','admitted','in conversation 1: telegram chat "102"',1795405184783,X'02a0a48d77920827c410cc98d714c17a6c785ce1fe2963ca8abf81977aac9568');
INSERT INTO audit VALUES(3,'carl','worker.started','process 19463, walls accounts',1795405186186,X'96c68c299f005b84f41efb1dc5a32c548e083fe23ecfc4ad9e8ce725f7fa8f6e');
INSERT INTO audit VALUES(4,'ann','admitted','in conversation 2: telegram chat "101"',1795405186426,X'5614f4759aca0550b26c301c476e8c4d3528796706764ca63b009d2a7452f758');
INSERT INTO audit VALUES(5,'ann','worker.started','process 19523, walls accounts',1795405186797,X'426449107d9d9a525e150caa989619ed65bc4a86b492935614fe1f3ad44419cb');
CREATE TABLE source (
	name TEXT PRIMARY KEY CHECK (name <> ''),
	next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO source VALUES('telegram/http://api.telegram.test/42',500005);
CREATE TABLE received (
	source      TEXT NOT NULL,
	id          INTEGER NOT NULL,       -- the source's own; it may give one again after a while
	user        TEXT NOT NULL,
	raw         TEXT NOT NULL,
	received_at INTEGER NOT NULL,
	PRIMARY KEY (source, id)
) STRICT;
INSERT INTO received VALUES('telegram/http://api.telegram.test/42',500001,'carl','{"update_id":500001,"message":{"chat":{"first_name":"carl","id":102,"type":"private"},"date":1795405184,"from":{"first_name":"carl","id":102,"is_bot":false},"message_id":1,"text":"say carl''s first"}}',1795405184768);
INSERT INTO received VALUES('telegram/http://api.telegram.test/42',500002,'carl','{"update_id":500002,"message":{"chat":{"first_name":"carl","id":102,"type":"private"},"date":1795405186,"from":{"first_name":"carl","id":102,"is_bot":false},"message_id":2,"text":"say carl''s second"}}',1795405186371);
INSERT INTO received VALUES('telegram/http://api.telegram.test/42',500003,'ann','{"update_id":500003,"message":{"chat":{"first_name":"ann","id":101,"type":"private"},"date":1795405186,"from":{"first_name":"ann","id":101,"is_bot":false},"message_id":3,"text":"append one line to log.txt\nsay ann''s first"}}',1795405186425);
INSERT INTO received VALUES('telegram/http://api.telegram.test/42',500004,'ann','{"update_id":500004,"message":{"chat":{"first_name":"ann","id":101,"type":"private"},"date":1795405187,"from":{"first_name":"ann","id":101,"is_bot":false},"message_id":4,"text":"say ann''s second"}}',1795405187062);
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
INSERT INTO post VALUES(1,'carl',1,1,1,0,'sending',0,'','{"text":"done: say carl''s first"}',1795405186352);
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
	created_at   INTEGER NOT NULL,
	CHECK (message IS NULL OR class IS NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO usage VALUES(1,'carl',1,1,2,'test/test','test','chat',NULL,1769,5,0,0,1774,'req_000000000001',1795405186228);
INSERT INTO usage VALUES(2,'carl',1,2,4,'test/test','test','chat',NULL,1798,5,1664,0,1803,'req_000000000002',1795405186381);
INSERT INTO usage VALUES(3,'ann',2,3,6,'test/test','test','chat',NULL,1776,13,1536,0,1789,'req_000000000003',1795405186847);
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
CREATE TABLE cleaning (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	message      TEXT NOT NULL CHECK (message <> ''),
	what         TEXT NOT NULL CHECK (what IN ('delete', 'unbutton')),
	due_at       INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
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
	used_at      INTEGER, inbound INTEGER REFERENCES inbox (id) ON DELETE SET NULL,                         -- an answer counts once
	CHECK ((answer = '') = (answered_at IS NULL)),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE TABLE granted (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	tool       TEXT NOT NULL,
	subject    TEXT NOT NULL CHECK (length(subject) = 64),
	text       TEXT NOT NULL,
	created_at INTEGER NOT NULL,
	revoked_at INTEGER
) STRICT;
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
INSERT INTO lease VALUES(4,'ann',2,3,'test/test',19457,1795405187019);
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
INSERT INTO spent VALUES('',1994894,5366);
INSERT INTO spent VALUES('ann',1994894,1789);
INSERT INTO spent VALUES('carl',1994894,3577);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('usage',3);
INSERT INTO sqlite_sequence VALUES('audit',5);
INSERT INTO sqlite_sequence VALUES('conversation',2);
INSERT INTO sqlite_sequence VALUES('inbox',4);
INSERT INTO sqlite_sequence VALUES('turn',3);
INSERT INTO sqlite_sequence VALUES('message',7);
INSERT INTO sqlite_sequence VALUES('lease',4);
INSERT INTO sqlite_sequence VALUES('outbox',2);
INSERT INTO sqlite_sequence VALUES('post',1);
INSERT INTO sqlite_sequence VALUES('effect',1);
CREATE UNIQUE INDEX turn_running ON turn (conversation) WHERE ended_at IS NULL;
CREATE INDEX message_conversation ON message (conversation, id);
CREATE INDEX message_turn ON message (turn, id);
CREATE INDEX tool_call_open ON tool_call (turn, message, position) WHERE result IS NULL;
CREATE INDEX effect_turn ON effect (turn, id);
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
CREATE INDEX inbox_held ON inbox (user, conversation, id) WHERE held = 1;
CREATE INDEX inbox_challenged ON inbox (user, conversation, asked, changed_at) WHERE held = 1 AND challenged = 1;
CREATE INDEX inbox_state ON inbox (state, kind, conversation, id) WHERE held = 0;
CREATE INDEX cleaning_due ON cleaning (due_at);
CREATE INDEX question_turn ON question (turn, subject) WHERE turn IS NOT NULL;
CREATE UNIQUE INDEX granted_live ON granted (user, subject) WHERE revoked_at IS NULL;
CREATE INDEX extension_user ON extension (user, created_at, amount);
CREATE INDEX extension_turn ON extension (turn, amount);
CREATE INDEX usage_cost ON usage (user, created_at, cost);
CREATE INDEX usage_turn ON usage (turn, cost) WHERE turn IS NOT NULL;
CREATE TRIGGER usage_is_spent AFTER INSERT ON usage WHEN new.cost > 0
BEGIN
	INSERT INTO spent (user, quarter, cost) VALUES
		(new.user, new.created_at / 900000, new.cost), ('', new.created_at / 900000, new.cost)
		ON CONFLICT (user, quarter) DO UPDATE SET cost = cost + excluded.cost;
END;
CREATE INDEX tool_call_turn ON tool_call (turn);
CREATE INDEX tool_call_message ON tool_call (message);
CREATE INDEX tool_call_result ON tool_call (result);
CREATE INDEX outbox_turn ON outbox (turn);
CREATE INDEX post_of_turn ON post (turn);
CREATE INDEX post_of_delivery ON post (delivery);
CREATE INDEX blob_turn ON blob (turn);
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE turn IS NOT NULL;
CREATE INDEX question_inbound ON question (inbound, subject) WHERE inbound IS NOT NULL;
COMMIT;
