-- What was said before a conversation's window may be missing for want of room, and not because the person began anew: the model
-- is told of the one and not of the other.
ALTER TABLE conversation ADD COLUMN trimmed INTEGER NOT NULL DEFAULT 0;  -- 1: the window was moved for want of room
