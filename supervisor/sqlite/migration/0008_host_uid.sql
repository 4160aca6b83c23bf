-- The user ids of the host that workers of people without an account run as.
CREATE TABLE host_uid (
	uid        INTEGER PRIMARY KEY CHECK (uid > 0),
	user       TEXT UNIQUE CHECK (user <> ''),  -- whose it is; NULL is nobody's any more: it is given to no other
	created_at INTEGER NOT NULL
) STRICT;
