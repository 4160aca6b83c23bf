-- Calendars that users subscribe to. Others write them.
CREATE TABLE calendar_subscription (
	user       TEXT NOT NULL CHECK (user <> ''),
	name       TEXT NOT NULL CHECK (name <> ''),
	host       TEXT NOT NULL,               -- host in the address
	secret     BLOB NOT NULL,               -- the sealed address
	digest     TEXT NOT NULL,               -- SHA-256 of the address
	inbound    INTEGER NOT NULL,            -- the command that had the address
	created_at INTEGER NOT NULL,
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;

-- The last copies of subscribed calendars, also of those that an admin has configured.
CREATE TABLE calendar_copy (
	user       TEXT NOT NULL CHECK (user <> ''),
	name       TEXT NOT NULL CHECK (name <> ''),
	digest     TEXT NOT NULL,               -- SHA-256 of the address
	sha256     TEXT NOT NULL,               -- the blob; '' means none
	size       INTEGER NOT NULL,
	tag        TEXT NOT NULL,               -- the server's ETag
	modified   TEXT NOT NULL,               -- the server's Last-Modified
	fetched_at INTEGER NOT NULL,            -- when the server sent or confirmed the copy; 0 means never
	tried_at   INTEGER NOT NULL,            -- when a fetch was tried last
	failure    TEXT NOT NULL,               -- why that fetch failed; '' means that it did not
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_copy_blob ON calendar_copy (sha256);
