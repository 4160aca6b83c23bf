-- The vectors of sections, where a model makes them: one for each that can be found. They go with their sections.
CREATE TABLE vector (
	section INTEGER PRIMARY KEY REFERENCES section (id) ON DELETE CASCADE,
	user    TEXT NOT NULL,
	model   TEXT NOT NULL DEFAULT '',   -- that has made it
	vector  BLOB                        -- float32, little endian; NULL until it is made; empty where the model takes no such text
) STRICT;
CREATE INDEX vector_user ON vector (user);
CREATE INDEX vector_awaited ON vector (user) WHERE vector IS NULL;
