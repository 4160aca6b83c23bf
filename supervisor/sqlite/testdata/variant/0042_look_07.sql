-- What jobs look at, what waits for a person, and what waits for the end of their quiet hours.
CREATE TABLE fire_old AS SELECT * FROM fire;
DROP TABLE fire;
CREATE TABLE fire (
	job      INTEGER NOT NULL REFERENCES job (id),
	due      INTEGER NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	state    TEXT NOT NULL CHECK (state IN ('claimed', 'running', 'asked', 'said', 'silent', 'failed', 'missed', 'skipped')),
	begin_at INTEGER,                           -- of a claimed one; of one that is leased, when it would begin again
	leased   INTEGER NOT NULL DEFAULT 0,        -- a claimed one is looked at
	tries    INTEGER NOT NULL DEFAULT 0,        -- that came to nothing
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
	ended_at INTEGER,
	PRIMARY KEY (job, due),
	CHECK ((state = 'claimed') = (begin_at IS NOT NULL)),
	CHECK (state <> 'running' OR inbound IS NOT NULL)
) STRICT;
INSERT INTO fire (job, due, user, state, begin_at, tries, inbound, delivery, text, material, world, cost, told, fired_at, ended_at)
	SELECT job, due, user, state, begin_at, tries, inbound, delivery, text, material, world, cost, told, fired_at, ended_at FROM fire_old;
DROP TABLE fire_old;
CREATE INDEX fire_user ON fire (user, fired_at);
CREATE INDEX fire_fired_at ON fire (fired_at);
CREATE INDEX fire_begin ON fire (begin_at) WHERE state = 'claimed';
CREATE INDEX fire_open ON fire (job) WHERE state IN ('claimed', 'running', 'asked');
CREATE INDEX fire_untold ON fire (user) WHERE told = 0 AND delivery IS NOT NULL;
CREATE UNIQUE INDEX fire_inbound ON fire (inbound) WHERE inbound IS NOT NULL;
CREATE INDEX fire_held ON fire (held) WHERE held IS NOT NULL;

-- What a job has seen, by which it tells what is new.
CREATE TABLE job_seen (
	job        INTEGER PRIMARY KEY REFERENCES job (id),
	user       TEXT NOT NULL CHECK (user <> ''),
	seen       TEXT NOT NULL,                   -- JSON of whoever looks
	changed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX job_seen_user ON job_seen (user);

-- What begins by itself in somebody's quiet hours, and is said after them.
CREATE TABLE held_notice (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	conversation INTEGER NOT NULL,
	text         TEXT NOT NULL,
	buttons      TEXT NOT NULL DEFAULT '',      -- JSON
	effects      TEXT NOT NULL DEFAULT '',      -- JSON
	silent       INTEGER NOT NULL DEFAULT 0,    -- it makes no sound
	due_at       INTEGER NOT NULL,              -- when it is said
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX held_notice_due ON held_notice (due_at);
CREATE INDEX held_notice_user ON held_notice (user, created_at);
CREATE INDEX held_notice_conversation ON held_notice (conversation, user);

-- What is said without a sound.
ALTER TABLE outbox ADD COLUMN silent INTEGER NOT NULL DEFAULT 0;

-- When a question ends whether it was delivered or not: that of a job, which goes on then.
ALTER TABLE question ADD COLUMN ends_at INTEGER;

-- What a question is put by, in held_notice, while that waits for the end of quiet hours; it has no delivery then.
ALTER TABLE question ADD COLUMN held INTEGER;
CREATE UNIQUE INDEX question_held ON question (held) WHERE held IS NOT NULL;
