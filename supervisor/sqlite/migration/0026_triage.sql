-- Issues on GitHub that are to be triaged, or were.
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
CREATE INDEX triage_open ON triage (due_at) WHERE state IN ('settling', 'queued');
