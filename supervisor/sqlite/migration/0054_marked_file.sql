-- Files with words of others, apart from those in folders of received files.
CREATE TABLE marked_file (
	id        INTEGER PRIMARY KEY AUTOINCREMENT,
	user      TEXT NOT NULL CHECK (user <> ''),
	path      TEXT NOT NULL CHECK (path <> ''),   -- relative to the home; of a folder, all below it is marked
	digest    TEXT NOT NULL DEFAULT '',           -- SHA-256 of the bytes that were marked; '': unknown, or a folder
	origins   TEXT NOT NULL CHECK (json_type(origins) = 'array'),
	turn      INTEGER,                            -- the turn that wrote the file
	marked_at INTEGER NOT NULL,                   -- in milliseconds
	UNIQUE (user, path)
) STRICT;
CREATE INDEX marked_file_digest ON marked_file (user, digest) WHERE digest <> '';
CREATE INDEX marked_file_turn ON marked_file (turn) WHERE turn IS NOT NULL;
CREATE INDEX marked_file_user ON marked_file (user, marked_at);

-- The messages with words of others.
CREATE INDEX message_world ON message (conversation, id) WHERE source = 'world';
