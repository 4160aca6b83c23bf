-- Another file history of a home has the same numbers of points, but other nonces.
ALTER TABLE undo ADD COLUMN nonce TEXT NOT NULL DEFAULT '';   -- of to_point; '': unknown

-- Ended operations that no inbound asked for, and that nobody has finished.
CREATE INDEX operation_ended ON operation (kind, updated_at) WHERE inbound IS NULL AND state NOT IN ('waiting', 'running');
