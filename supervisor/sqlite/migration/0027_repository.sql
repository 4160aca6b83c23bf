-- What has happened in repositories on GitHub and is yet to be told: a row for each event and each conversation that it is told in.
CREATE TABLE repository_notice (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	repo         TEXT NOT NULL CHECK (repo <> ''),                      -- owner/name in lower case
	key          TEXT NOT NULL CHECK (key <> ''),                       -- the same for what is told in one message
	event        TEXT NOT NULL CHECK (json_type(event) = 'object'),
	due_at       INTEGER NOT NULL,                                      -- of the first of them all are told
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX repository_notice_due ON repository_notice (due_at);
CREATE INDEX repository_notice_key ON repository_notice (conversation, repo, key);

-- Which deliveries have told of a pull request, newest last: what becomes of its review is added to the last in each conversation.
CREATE TABLE repository_told (
	delivery INTEGER PRIMARY KEY REFERENCES outbox (id),
	user     TEXT NOT NULL,
	repo     TEXT NOT NULL,
	number   INTEGER NOT NULL
) STRICT;
CREATE INDEX repository_told_number ON repository_told (repo, number);

-- The checks that have failed, and have not passed since: that one passes is told of these alone.
CREATE TABLE repository_check (
	repo TEXT NOT NULL,
	ref  TEXT NOT NULL,
	name TEXT NOT NULL,
	head TEXT NOT NULL,     -- the commit at which it failed last
	at   INTEGER NOT NULL,
	PRIMARY KEY (repo, ref, name)
) STRICT, WITHOUT ROWID;
