-- The command or the press that waits for the answer. NULL: a turn does, or nobody. After a crash it is run again, and finds
-- its question by this.
ALTER TABLE question ADD COLUMN inbound INTEGER REFERENCES inbox (id) ON DELETE SET NULL;
CREATE INDEX question_inbound ON question (inbound, subject) WHERE inbound IS NOT NULL;
