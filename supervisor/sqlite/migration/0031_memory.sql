-- What a person has had forgotten: remember does not take it up again.
CREATE TABLE forgotten (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	message      INTEGER NOT NULL DEFAULT 0,     -- that it went by; 0 is none
	digest       TEXT NOT NULL DEFAULT '',       -- SHA-256 of its words, as supervisor.DigestOfWords has it
	fact         INTEGER NOT NULL DEFAULT 0,     -- the number of its id; 0 is none
	forgotten_at INTEGER NOT NULL,
	UNIQUE (user, message, digest, fact)
) STRICT;
CREATE INDEX forgotten_digest ON forgotten (user, digest);

-- How often recall has shown a fact on a day.
CREATE TABLE fact_use (
	user TEXT NOT NULL CHECK (user <> ''),
	fact TEXT NOT NULL CHECK (fact <> ''),       -- its id
	day  TEXT NOT NULL,                          -- 2026-11-20
	uses INTEGER NOT NULL DEFAULT 0,
	PRIMARY KEY (user, fact, day)
) STRICT;
