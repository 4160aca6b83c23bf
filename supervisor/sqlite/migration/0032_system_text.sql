-- The system text that requests of a conversation begin with, until it may be another one.
CREATE TABLE system_text (
	conversation INTEGER PRIMARY KEY,
	user         TEXT NOT NULL,
	text         TEXT NOT NULL,               -- '' is none
	window_from  INTEGER NOT NULL,            -- the conversation's as it was put together
	stale        INTEGER NOT NULL DEFAULT 0,  -- how often it was said since that it must not be used any more
	renewed_at   INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
CREATE INDEX system_text_user ON system_text (user);
