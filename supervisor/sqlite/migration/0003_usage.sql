-- Usage has a row for each call of a model and no longer one for each message: what failed may have cost something too.
ALTER TABLE usage RENAME TO usage_by_message;
CREATE TABLE usage (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	conversation INTEGER,                          -- NULL where it was for none
	turn         INTEGER REFERENCES turn (id),     -- NULL where no turn asked for it
	message      INTEGER REFERENCES message (id),  -- what the model said; NULL where that is not in the transcript
	spec         TEXT NOT NULL,                    -- provider/model; '' is not known
	model        TEXT NOT NULL,                    -- as the provider names it
	purpose      TEXT NOT NULL CHECK (purpose <> ''),
	class        TEXT CHECK (class <> ''),         -- of its failure; NULL where it succeeded
	input        INTEGER NOT NULL,
	output       INTEGER NOT NULL,
	cache_read   INTEGER NOT NULL,
	cache_write  INTEGER NOT NULL,
	cost         INTEGER,                          -- in millionths of a dollar; NULL where no price was known
	request      TEXT NOT NULL,                    -- the provider's own name of the call; '' where it gave none
	created_at   INTEGER NOT NULL,
	CHECK (message IS NULL OR class IS NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO usage (user, conversation, turn, message, spec, model, purpose, input, output, cache_read, cache_write, request,
	created_at)
	SELECT u.user, t.conversation, u.turn, u.message, '', u.model, 'chat', u.input, u.output, u.cache_read, u.cache_write,
	'', u.created_at FROM usage_by_message u JOIN turn t ON t.id = u.turn ORDER BY u.message;
DROP TABLE usage_by_message;
CREATE UNIQUE INDEX usage_message ON usage (message) WHERE message IS NOT NULL;
CREATE INDEX usage_user ON usage (user, created_at);
CREATE INDEX usage_time ON usage (created_at);
