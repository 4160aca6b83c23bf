-- Heads of pull requests on GitHub that are to be reviewed, or were.
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
CREATE INDEX review_due ON review (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX review_turn ON review (turn) WHERE turn IS NOT NULL;
-- A pull request has one review at a time.
CREATE UNIQUE INDEX review_active ON review (user, repo, number) WHERE state IN ('queued', 'confirming', 'running');

-- What a repository's reviews say nothing of.
CREATE TABLE review_mute (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL CHECK (user <> ''),
	repo       TEXT NOT NULL CHECK (repo <> ''),
	kind       TEXT NOT NULL CHECK (kind IN ('finding', 'pull', 'label')),
	subject    TEXT NOT NULL CHECK (subject <> ''),  -- a fingerprint, a number, or a label
	why        TEXT NOT NULL DEFAULT '',
	by         TEXT NOT NULL DEFAULT '',             -- who wants that
	created_at INTEGER NOT NULL,
	UNIQUE (user, repo, kind, subject)
) STRICT;
