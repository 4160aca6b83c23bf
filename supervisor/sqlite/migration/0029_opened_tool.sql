-- Tools of families that are open in a conversation: a model is offered them there.
CREATE TABLE opened_tool (
	conversation INTEGER NOT NULL,
	name         TEXT NOT NULL CHECK (name <> ''),
	user         TEXT NOT NULL,
	position     INTEGER NOT NULL,            -- in the order of opening
	opened_at    INTEGER NOT NULL,
	used_at      INTEGER NOT NULL,            -- when it was called last; opened_at of one that was not
	kept         INTEGER NOT NULL DEFAULT 0,  -- 1: the person wants it to stay open
	PRIMARY KEY (conversation, name),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT, WITHOUT ROWID;
