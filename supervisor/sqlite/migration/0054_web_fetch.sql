-- Addresses that pages and searches have named, by the SHA-256 of their normalised spelling. They
-- count while the model sees the turn's messages.
CREATE TABLE web_address (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	digest     TEXT NOT NULL CHECK (length(digest) = 64),
	source     TEXT NOT NULL CHECK (source IN ('page', 'search')),
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, digest, source)
) STRICT, WITHOUT ROWID;
CREATE INDEX web_address_digest ON web_address (digest, turn);
CREATE INDEX web_address_user ON web_address (user, created_at);

-- Fetches of addresses that only a page has named.
CREATE TABLE web_fetch (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	call       TEXT NOT NULL CHECK (call <> ''),
	domain     TEXT NOT NULL,
	user       TEXT NOT NULL CHECK (user <> ''),
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX web_fetch_user ON web_fetch (user, created_at);
