-- What was transcribed of a recording, piece by piece, while its operation has not ended.
CREATE TABLE operation_piece (
	operation INTEGER NOT NULL REFERENCES operation (id),
	position  INTEGER NOT NULL CHECK (position >= 0),
	user      TEXT NOT NULL,
	language  TEXT NOT NULL,  -- '' is not known
	text      TEXT NOT NULL,  -- '' where nothing is said
	PRIMARY KEY (operation, position)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operation_deleted BEFORE DELETE ON operation BEGIN
	DELETE FROM operation_piece WHERE operation = OLD.id;
END;
