-- What other programs have sent to a webhook, or what was found by asking them instead. A row is there for a week, so that what is
-- sent again is known.
CREATE TABLE webhook_delivery (
	id         INTEGER PRIMARY KEY AUTOINCREMENT,
	user       TEXT NOT NULL,                        -- whose it is; '' is nobody's
	source     TEXT NOT NULL CHECK (source <> ''),   -- github, or hook/NAME
	hook       TEXT NOT NULL,                        -- the sender's own name of the webhook; '' where it has none
	key        TEXT NOT NULL,                        -- the sender's own name of the delivery, which nothing vouches for
	body       TEXT NOT NULL,                        -- SHA-256 of what was sent, in hexadecimal
	size       INTEGER NOT NULL,                     -- bytes of it that are in the spool; 0 when they are gone
	event      TEXT NOT NULL CHECK (octet_length(event) <= 8192 AND json_valid(event)),
	state      TEXT NOT NULL CHECK (state IN ('new', 'done', 'ignored', 'failed')),
	why        TEXT NOT NULL,                        -- it was ignored, or has failed
	created_at INTEGER NOT NULL,
	ended_at   INTEGER,
	UNIQUE (user, source, key, hook, body)
) STRICT;
CREATE INDEX webhook_delivery_new ON webhook_delivery (source, id) WHERE state = 'new';
CREATE INDEX webhook_delivery_size ON webhook_delivery (body, state, size) WHERE size > 0;
CREATE INDEX webhook_delivery_created ON webhook_delivery (created_at);
