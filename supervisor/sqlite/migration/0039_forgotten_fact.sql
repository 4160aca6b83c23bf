-- Facts that are forgotten, and of which words may stand elsewhere than in MEMORY.md. A row goes, with the words in it, once nothing of
-- them is left but what its person has said.
CREATE TABLE forgotten_fact (
	id   INTEGER PRIMARY KEY AUTOINCREMENT,
	user TEXT NOT NULL CHECK (user <> ''),
	fact TEXT NOT NULL CHECK (fact <> ''),   -- its id
	text TEXT NOT NULL
) STRICT;
CREATE INDEX forgotten_fact_user ON forgotten_fact (user, id);
