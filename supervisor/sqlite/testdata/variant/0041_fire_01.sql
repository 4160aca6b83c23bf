-- Jobs that have a turn of their own, and what came of each time that one was due.
CREATE TABLE job_new (
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
	changed_at   INTEGER NOT NULL,
	CHECK (state = 'active' OR next IS NULL),
	UNIQUE (user, made_by),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO job_new (id, user, kind, state, text, rule, zone, conversation, made_by, version, since, next, fired, created_at, changed_at)
	SELECT id, user, kind, state, text, rule, zone, conversation, 'inbound/' || inbound, version, since, next, fired, created_at, changed_at FROM job;

CREATE TABLE fire_new (
	job      INTEGER NOT NULL REFERENCES job_new (id),
	due      INTEGER NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	state    TEXT NOT NULL CHECK (state IN ('claimed', 'running', 'said', 'silent', 'failed', 'missed', 'skipped')),
	begin_at INTEGER,                           -- of a claimed one
	tries    INTEGER NOT NULL DEFAULT 0,        -- that came to nothing
	inbound  INTEGER,                           -- of its turn
	delivery INTEGER,                           -- what was said of it
	text     TEXT NOT NULL DEFAULT '',          -- what a turn has said
	world    INTEGER NOT NULL DEFAULT 0,        -- that may have words of somebody else than the person
	cost     INTEGER NOT NULL DEFAULT 0,        -- millionths of a dollar
	told     INTEGER NOT NULL DEFAULT 0,        -- the model of the chat knows of it
	fired_at INTEGER NOT NULL,
	ended_at INTEGER,
	PRIMARY KEY (job, due),
	CHECK ((state = 'claimed') = (begin_at IS NOT NULL)),
	CHECK (state <> 'running' OR inbound IS NOT NULL)
) STRICT;
INSERT INTO fire_new (job, due, user, state, told, fired_at, ended_at) SELECT job, due, user, state, 1, fired_at, fired_at FROM fire;
DROP TABLE fire;
DROP TABLE job;
ALTER TABLE job_new RENAME TO job;
ALTER TABLE fire_new RENAME TO fire;
CREATE INDEX job_next ON job (next) WHERE next IS NOT NULL;
CREATE INDEX job_user ON job (user, state, id);
CREATE INDEX job_done ON job (changed_at) WHERE state = 'done';
CREATE INDEX job_conversation ON job (conversation, user);
CREATE INDEX fire_user ON fire (user, fired_at);
CREATE INDEX fire_fired_at ON fire (fired_at);
CREATE INDEX fire_begin ON fire (begin_at) WHERE state = 'claimed';
CREATE INDEX fire_open ON fire (job) WHERE state IN ('claimed', 'running');
CREATE INDEX fire_untold ON fire (user) WHERE told = 0 AND delivery IS NOT NULL;
CREATE UNIQUE INDEX fire_inbound ON fire (inbound) WHERE inbound IS NOT NULL;
