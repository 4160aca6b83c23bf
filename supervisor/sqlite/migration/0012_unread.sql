-- What could not be looked at is known to the next words of its conversation, which may be about it.
ALTER TABLE inbox ADD COLUMN unread INTEGER NOT NULL DEFAULT 0;  -- 1: its text names it, and no words have said so to the model yet
CREATE INDEX inbox_unread ON inbox (conversation) WHERE unread = 1;
