-- What can be searched. All of it can be made anew from the transcript and from people's homes, so a change of this schema needs
-- no second migration: the version is raised, and the index rebuilt. The words of a person's sections are in a table of their own,
-- words_<the person's id>, which is made with the person's row: one person's search reads nobody else's.

CREATE TABLE setting (
	user  TEXT NOT NULL,
	name  TEXT NOT NULL,
	value TEXT NOT NULL,
	PRIMARY KEY (user, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE person (
	id   INTEGER PRIMARY KEY AUTOINCREMENT,
	user TEXT NOT NULL UNIQUE CHECK (user <> ''),
	sections INTEGER NOT NULL DEFAULT 0   -- how many of theirs have words in their table
) STRICT;

-- Up to which message each conversation has been read.
CREATE TABLE cursor (
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	message      INTEGER NOT NULL,
	PRIMARY KEY (user, conversation)
) STRICT, WITHOUT ROWID;

-- A message's words, or the text below one heading of a file.
CREATE TABLE section (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	at           INTEGER NOT NULL,             -- unix milliseconds; of a home's section when it was first seen
	conversation INTEGER NOT NULL DEFAULT 0,   -- 0 of a home's section, as are message and size
	message      INTEGER NOT NULL DEFAULT 0,
	size         INTEGER NOT NULL DEFAULT 0,   -- of the message, in bytes, as it is kept: another size is another message
	role         TEXT NOT NULL DEFAULT '',
	world        INTEGER NOT NULL DEFAULT 0,   -- some of it may be the words of somebody else than the person
	hash         TEXT NOT NULL DEFAULT '',     -- of a home's section
	path         TEXT NOT NULL DEFAULT '',     -- of the first file that has it; '' while its words are in no index
	heading      TEXT NOT NULL DEFAULT '',
	text         TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX section_message ON section (user, conversation, message) WHERE hash = '';
CREATE UNIQUE INDEX section_hash ON section (user, hash) WHERE hash <> '';

-- The text files of homes, and which sections each of them has.
CREATE TABLE file (
	user     TEXT NOT NULL,
	path     TEXT NOT NULL,
	hash     TEXT NOT NULL,
	size     INTEGER NOT NULL,
	modified INTEGER NOT NULL,                 -- unix nanoseconds
	PRIMARY KEY (user, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE place (
	user     TEXT NOT NULL,
	path     TEXT NOT NULL,
	position INTEGER NOT NULL,                 -- in the file, from 0
	line     INTEGER NOT NULL,                 -- that it begins at, from 1
	section  INTEGER NOT NULL,
	PRIMARY KEY (user, path, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX place_section ON place (user, section);
