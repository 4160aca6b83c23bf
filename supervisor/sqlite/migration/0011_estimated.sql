-- What a call came to that nobody saw end, or whose provider did not count it, is estimated, and said to be.
ALTER TABLE usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0;  -- 1: its tokens, and with them its cost, are about right
UPDATE usage SET estimated = 1 WHERE class IN ('unknown', 'stopped', 'cut', 'stalled');
