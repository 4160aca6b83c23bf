-- 1: the user has written the text; others wrote no part of it.
ALTER TABLE inbox ADD COLUMN own_text INTEGER NOT NULL DEFAULT 0 CHECK (own_text IN (0, 1));
-- The part with the user's own words, and quotes before them. NULL: none, or not known.
ALTER TABLE message ADD COLUMN own_part INTEGER;
-- Of messages before this one, a model sees words of others only as a line with the message's id.
ALTER TABLE conversation ADD COLUMN foreign_from INTEGER NOT NULL DEFAULT 0;

-- The only time of a job that waits for its user's consent: then it is over. NULL: never.
ALTER TABLE job ADD COLUMN expires_at INTEGER CHECK (state = 'proposed' OR expires_at IS NULL);
CREATE INDEX job_expires ON job (expires_at) WHERE expires_at IS NOT NULL;
