-- A call of a model may be made before there is a turn: a recording is written down then.
CREATE TABLE lease_new (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),          -- NULL: none
	spec         TEXT NOT NULL,
	amount       INTEGER NOT NULL CHECK (amount >= 0),  -- the most that the call can cost, in millionths of a dollar
	created_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO lease_new SELECT id, user, conversation, turn, spec, amount, created_at FROM lease;
DROP TABLE lease;
ALTER TABLE lease_new RENAME TO lease;
