-- Which of what waits in a conversation goes first: 1 is what its person wants next, and -1 what is to wait for all else. Of the same,
-- the older goes first.
ALTER TABLE inbox ADD COLUMN priority INTEGER NOT NULL DEFAULT 0 CHECK (priority IN (-1, 0, 1));
