-- The last command of a user's check that has not reported prompt files since it began.
CREATE TABLE check_command (
	user     TEXT PRIMARY KEY CHECK (user <> ''),
	began_at INTEGER NOT NULL                      -- in milliseconds
) STRICT;
