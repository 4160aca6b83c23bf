-- Turns that are forgotten and of which there may be facts, notes or an exchange in the log of their person's home. A row goes, with the
-- words in it, once the person's worker has seen to that.
CREATE TABLE forgotten_turn (
	turn     INTEGER PRIMARY KEY,
	user     TEXT NOT NULL CHECK (user <> ''),
	since    INTEGER NOT NULL,   -- when it was sent what the turn has answered
	messages TEXT NOT NULL,      -- a JSON array of the ids of what was sent
	notes    TEXT NOT NULL       -- a JSON array of the texts of notes that were made
) STRICT;
CREATE INDEX forgotten_turn_user ON forgotten_turn (user, turn);
