-- What takes a change of a file back: what was at its path before, or where it is since it was moved.
CREATE TABLE undo (
	effect     INTEGER PRIMARY KEY REFERENCES effect (id),
	user       TEXT NOT NULL,
	turn       INTEGER NOT NULL REFERENCES turn (id),
	operation  INTEGER NOT NULL,  -- the undo that made the change; 0: the turn
	path       TEXT NOT NULL,
	moved_to   TEXT NOT NULL,     -- '' is not moved
	before     TEXT NOT NULL,     -- what was at the path: '' nothing, the SHA-256 of a file's bytes, or what protocol.FileState has
	after      TEXT NOT NULL,     -- likewise, afterwards
	size       INTEGER NOT NULL CHECK (size >= 0),
	mode       INTEGER NOT NULL,  -- of the file before
	why_not    TEXT NOT NULL,     -- why nothing takes it back; '' where something does
	undone_by  INTEGER,           -- the operation that has taken it back
	told       INTEGER NOT NULL DEFAULT 0,  -- of what an undo has done: the model knows
	created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX undo_turn ON undo (turn, effect);
CREATE INDEX undo_user ON undo (user, turn);
CREATE INDEX undo_untold ON undo (user) WHERE operation > 0 AND told = 0;

-- The bytes of files from before a turn has changed them.
ALTER TABLE blob ADD COLUMN before INTEGER NOT NULL DEFAULT 0;
