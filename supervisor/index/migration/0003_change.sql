-- What has come to differ in homes, in the order in which that was seen. Of a home that was not yet looked through once there is nothing.
CREATE TABLE change (
	id       INTEGER PRIMARY KEY AUTOINCREMENT,
	user     TEXT NOT NULL,
	path     TEXT NOT NULL,
	was      TEXT NOT NULL,     -- the file's hash before; '-' where there was no file
	hash     TEXT NOT NULL,     -- then; likewise
	size     INTEGER NOT NULL,  -- then
	modified INTEGER NOT NULL,  -- then, in unix nanoseconds
	at       INTEGER NOT NULL   -- unix milliseconds
) STRICT;
CREATE INDEX change_user ON change (user, id);
-- Changes that were seen in a database and in one that was made anew do not follow one another.
CREATE TABLE epoch (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO epoch VALUES (1, lower(hex(randomblob(8))));
