-- What people send may be changed afterwards, and what came of it is told by what it was then.
ALTER TABLE inbox ADD COLUMN edited_at INTEGER NOT NULL DEFAULT 0;   -- when its person has changed it, as its channel dates that; 0: never
ALTER TABLE inbox ADD COLUMN edited_by INTEGER NOT NULL DEFAULT 0;   -- the source's own number of what said so
ALTER TABLE inbox ADD COLUMN told TEXT;                              -- the text that its running turn knows; NULL: as it is
ALTER TABLE inbox ADD COLUMN first_file INTEGER NOT NULL DEFAULT 0;  -- the position of its first attachment: others were there before it
CREATE INDEX inbox_message ON inbox (conversation, message) WHERE message <> '';
CREATE INDEX inbox_told ON inbox (conversation) WHERE told IS NOT NULL;

ALTER TABLE attachment ADD COLUMN content_id TEXT NOT NULL DEFAULT '';  -- the channel's own name of the bytes, wherever they are; '' is not known

-- A message that stands in a chat may get another content.
CREATE TABLE cleaning_new (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	user         TEXT NOT NULL,
	conversation INTEGER NOT NULL,
	message      TEXT NOT NULL CHECK (message <> ''),
	what         TEXT NOT NULL CHECK (what IN ('delete', 'unbutton', 'edit')),
	content      TEXT NOT NULL DEFAULT '' CHECK ((what = 'edit') = (content <> '')),  -- what it is to show: a RichText
	due_at       INTEGER NOT NULL,
	FOREIGN KEY (conversation, user) REFERENCES conversation (id, user)
) STRICT;
INSERT INTO cleaning_new (id, user, conversation, message, what, due_at)
	SELECT id, user, conversation, message, what, due_at FROM cleaning ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'cleaning_new';  -- an id is never given twice, whatever was deleted
INSERT INTO sqlite_sequence (name, seq) SELECT 'cleaning_new', seq FROM sqlite_sequence WHERE name = 'cleaning';
DROP TABLE cleaning;
ALTER TABLE cleaning_new RENAME TO cleaning;
CREATE INDEX cleaning_due ON cleaning (due_at);
