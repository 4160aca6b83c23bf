-- The findings of a pull request's reviews. A push, a failure or another review deletes none.
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
CREATE INDEX review_finding_turn ON review_finding (turn) WHERE turn IS NOT NULL;

-- The subject of a muted finding, for people and for comparisons. Older mutes have none of it.
ALTER TABLE review_mute ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE review_mute ADD COLUMN path TEXT NOT NULL DEFAULT '';
ALTER TABLE review_mute ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE review_mute ADD COLUMN code TEXT NOT NULL DEFAULT '';
