-- Files with words of others, apart from those in folders of received files.
CREATE TABLE marked_file (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	user      TEXT NOT NULL CHECK (user <> ''),
	path      TEXT NOT NULL CHECK (path <> ''),   -- relative to the home; of a folder, all below it is marked
	origins   TEXT NOT NULL CHECK (json_type(origins) = 'array'),
	turn      INTEGER,                            -- the turn that wrote the file
	marked_at INTEGER NOT NULL,                   -- in milliseconds
	ended     INTEGER NOT NULL DEFAULT 0,         -- 1: the file was replaced or deleted; a restore renews the mark
	merged    INTEGER NOT NULL DEFAULT 0,         -- 1: a folder in place of its many marked files
	UNIQUE (user, path)
) STRICT;
CREATE INDEX marked_file_turn ON marked_file (turn) WHERE turn IS NOT NULL;
CREATE INDEX marked_file_user ON marked_file (user, marked_at);

-- Bytes with words of others, in whatever file they are.
CREATE TABLE marked_content (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	user      TEXT NOT NULL CHECK (user <> ''),
	digest    TEXT NOT NULL CHECK (digest <> ''), -- SHA-256
	origins   TEXT NOT NULL CHECK (json_type(origins) = 'array'),
	turn      INTEGER,                            -- the turn that wrote the bytes
	marked_at INTEGER NOT NULL,                   -- in milliseconds
	UNIQUE (user, digest)
) STRICT;
CREATE INDEX marked_content_turn ON marked_content (turn) WHERE turn IS NOT NULL;
CREATE INDEX marked_content_user ON marked_content (user, marked_at);

-- The messages with words of others.
CREATE INDEX message_world ON message (conversation, id) WHERE source = 'world';
