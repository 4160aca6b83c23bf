-- What a channel needs that is not on this machine: who has said what under which name there, how far each message to
-- it has come, and when it may be sent to again.

-- The channel's own name of a message, to answer to.
ALTER TABLE inbox ADD COLUMN message TEXT NOT NULL DEFAULT '';

-- A chat that several persons share has a conversation of each.
CREATE INDEX conversation_chat ON conversation (channel, chat);

-- How far a source of updates has been read: its next batch begins here.
CREATE TABLE source (
	name TEXT PRIMARY KEY CHECK (name <> ''),
	next INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What a source sent, as it sent it. Kept for a week, for whoever has to find out what happened.
CREATE TABLE received (
	source      TEXT NOT NULL,
	id          INTEGER NOT NULL,       -- the source's own; it may give one again after a while
	user        TEXT NOT NULL,
	raw         TEXT NOT NULL,
	received_at INTEGER NOT NULL,
	PRIMARY KEY (source, id)
) STRICT;
CREATE INDEX received_at ON received (received_at);

-- What became of a delivery; NULL while it waits. delivered_at is when that was known.
ALTER TABLE outbox ADD COLUMN outcome TEXT CHECK (outcome IN ('sent', 'unknown', 'failed'));
UPDATE outbox SET outcome = 'sent' WHERE delivered_at IS NOT NULL;
ALTER TABLE outbox ADD COLUMN why TEXT NOT NULL DEFAULT ''          -- of an outcome that is not sent
	CHECK ((outcome IS NULL) = (delivered_at IS NULL));
ALTER TABLE outbox ADD COLUMN told INTEGER NOT NULL DEFAULT 0;      -- 1: the person knows of that outcome
CREATE INDEX outbox_lost ON outbox (conversation, id) WHERE outcome IN ('unknown', 'failed');

-- One message in a channel's chat that shows a reply or a part of it. It is here before it is sent.
CREATE TABLE post (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	turn         INTEGER REFERENCES turn (id),    -- whose reply it shows; NULL where no turn said it
	delivery     INTEGER REFERENCES outbox (id),  -- NULL while the turn runs
	part         INTEGER NOT NULL CHECK (part >= 0),
	state        TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'unknown', 'failed', 'surplus', 'deleted')),
	repeat       INTEGER NOT NULL DEFAULT 0,      -- 1: an earlier sending of it has a fate that is not known
	message      TEXT NOT NULL DEFAULT '',        -- the channel's own name of it
	content      TEXT NOT NULL CHECK (json_type(content) = 'object'),  -- what it is to show: a RichText
	changed_at   INTEGER NOT NULL,
	CHECK (turn IS NOT NULL OR delivery IS NOT NULL),
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
-- A deleted one leaves its part to another.
CREATE UNIQUE INDEX post_turn ON post (turn, part) WHERE turn IS NOT NULL AND state <> 'deleted';
CREATE UNIQUE INDEX post_delivery ON post (delivery, part) WHERE delivery IS NOT NULL AND state <> 'deleted';

-- Until when nothing may be sent: the channel has said so. chat '' is all of the source's chats.
CREATE TABLE freeze (
	source TEXT NOT NULL,
	chat   TEXT NOT NULL,
	until  INTEGER NOT NULL,
	PRIMARY KEY (source, chat)
) STRICT, WITHOUT ROWID;
