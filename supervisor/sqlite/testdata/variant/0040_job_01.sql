-- What is due at times, and each time that it was.
CREATE TABLE job (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	kind         TEXT NOT NULL CHECK (kind IN ('reminder')),
	state        TEXT NOT NULL CHECK (state IN ('active', 'paused', 'done')),
	text         TEXT NOT NULL,
	rule         TEXT NOT NULL,              -- when it is due, as JSON
	zone         TEXT NOT NULL,              -- '' is the machine's
	conversation INTEGER NOT NULL,           -- where it was made
	inbound      INTEGER NOT NULL UNIQUE,    -- what has made it
	version      INTEGER NOT NULL DEFAULT 1,
	since        INTEGER NOT NULL,           -- all up to then was fired
	next         INTEGER,                    -- when it is due; NULL is never
	fired        INTEGER NOT NULL DEFAULT 0,
	created_at   INTEGER NOT NULL,
	changed_at   INTEGER NOT NULL,
	CHECK (state = 'active' OR next IS NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX job_next ON job (next) WHERE next IS NOT NULL;
CREATE INDEX job_user ON job (user, state, id);
CREATE INDEX job_conversation ON job (conversation, user);

CREATE TABLE fire (
	job      INTEGER NOT NULL REFERENCES job (id),
	due      INTEGER NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	state    TEXT NOT NULL CHECK (state IN ('said', 'failed')),
	fired_at INTEGER NOT NULL,
	PRIMARY KEY (job, due)
) STRICT;
CREATE INDEX fire_user ON fire (user, fired_at);
CREATE INDEX fire_fired_at ON fire (fired_at);
