-- Sections and boxes of a user's files that were searched for to-dos.
CREATE TABLE todo_section (
	user    TEXT NOT NULL CHECK (user <> ''),
	digest  TEXT NOT NULL CHECK (length(digest) = 24),
	seen_at INTEGER NOT NULL,                  -- in milliseconds
	PRIMARY KEY (user, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX todo_section_seen ON todo_section (user, seen_at);
