-- Questions of every kind in one table. A question is open until it ends, and says why it has. It stands for a while from when it was
-- delivered. A turn with an open question waits: it holds no place and no process, and goes on when the question has ended.
CREATE TABLE question_new (
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
	used_at      INTEGER,                         -- its asker has had the end: an answer counts once
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
INSERT INTO question_new (id, digest, user, conversation, turn, inbound, kind, tool, subject, amount, text, stands, created_at,
	expires_at, why, answer, ended_at, used_at)
	SELECT id, digest, user, conversation, turn, inbound, kind, tool, subject, amount, text, max(expires_at - created_at, 1), created_at,
	expires_at, iif(answer = '', NULL, 'answered'), iif(answer = '', NULL, json_object('say', answer)), answered_at, used_at
	FROM question ORDER BY id;
-- What nobody waits for any more, or no more in time.
UPDATE question_new SET why = 'over', ended_at = created_at WHERE why IS NULL AND (turn IS NULL AND inbound IS NULL
	OR turn IN (SELECT id FROM turn WHERE ended_at IS NOT NULL) OR inbound IN (SELECT id FROM inbox WHERE state <> 'new'));
DELETE FROM sqlite_sequence WHERE name = 'question_new';  -- an id is never given twice, whatever was deleted
INSERT INTO sqlite_sequence (name, seq) SELECT 'question_new', seq FROM sqlite_sequence WHERE name = 'question';
DROP TABLE question;
ALTER TABLE question_new RENAME TO question;
CREATE INDEX question_turn ON question (turn, subject) WHERE turn IS NOT NULL;
CREATE INDEX question_inbound ON question (inbound, subject) WHERE inbound IS NOT NULL;
-- The open ones: each text that comes is held against those of its conversation, and a turn with one waits.
CREATE INDEX question_open ON question (conversation) WHERE why IS NULL;
CREATE INDEX question_waits ON question (turn) WHERE why IS NULL;
CREATE INDEX question_expires ON question (expires_at) WHERE why IS NULL;
CREATE INDEX question_delivery ON question (delivery) WHERE delivery IS NOT NULL;

-- How long a turn has run, in milliseconds, before it last waited for its person: what it waits is not counted.
ALTER TABLE turn ADD COLUMN ran INTEGER NOT NULL DEFAULT 0;
CREATE INDEX question_unused ON question (turn) WHERE why IS NOT NULL AND used_at IS NULL AND turn IS NOT NULL;  -- turns that may go on
