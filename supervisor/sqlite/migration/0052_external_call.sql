-- Calls of tools to other servers. A row stays until the call's result is committed.
CREATE TABLE external_call (
	turn       INTEGER NOT NULL REFERENCES turn (id),
	call       TEXT NOT NULL CHECK (call <> ''),
	user       TEXT NOT NULL CHECK (user <> ''),
	repeatable INTEGER NOT NULL,            -- 1: the call may be made again if it has no answer
	answer     TEXT,                        -- for the worker, as JSON; NULL while there is none
	origins    TEXT NOT NULL DEFAULT '[]',  -- where words of others in the answer come from, as JSON
	created_at INTEGER NOT NULL,
	PRIMARY KEY (turn, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_call_user ON external_call (user);

-- Blobs of kept answers. They are not in the table blob until a result names them.
CREATE TABLE external_blob (
	user   TEXT NOT NULL CHECK (user <> ''),
	sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
	turn   INTEGER NOT NULL,
	call   TEXT NOT NULL,
	size   INTEGER NOT NULL CHECK (size >= 0),
	PRIMARY KEY (user, sha256, turn, call),
	FOREIGN KEY (turn, call) REFERENCES external_call (turn, call)
) STRICT, WITHOUT ROWID;
CREATE INDEX external_blob_call ON external_blob (turn, call);
