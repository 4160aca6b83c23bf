-- What people want to be forgotten, and what has come of it. There are no words in it.
CREATE TABLE forgetting (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL CHECK (user <> ''),
	inbound      INTEGER NOT NULL UNIQUE,      -- the press or the command that wants it
	conversation INTEGER NOT NULL,             -- 0 is all that the person has
	since        INTEGER NOT NULL,
	until        INTEGER NOT NULL,             -- and not beyond
	next         INTEGER NOT NULL DEFAULT 0,   -- nothing is left of what was sent before this inbound
	counts       TEXT NOT NULL DEFAULT '{}',   -- what is gone, as JSON
	created_at   INTEGER NOT NULL,
	ended_at     INTEGER                       -- NULL while something is left
) STRICT;
CREATE INDEX forgetting_open ON forgetting (id) WHERE ended_at IS NULL;

-- How often something of a conversation's person was forgotten: whoever has read messages before reads them anew.
ALTER TABLE conversation ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
-- The channel's name of the message that a quote is of.
ALTER TABLE inbox ADD COLUMN replies_to TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_replies_to ON inbox (conversation, replies_to) WHERE replies_to <> '';
-- 1: the bytes are to be taken out of the spool, and then the row.
ALTER TABLE blob ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0;
CREATE INDEX blob_forgotten ON blob (user) WHERE forgotten = 1;
CREATE INDEX attachment_sha256 ON attachment (sha256) WHERE sha256 IS NOT NULL;  -- whether bytes came with something else
