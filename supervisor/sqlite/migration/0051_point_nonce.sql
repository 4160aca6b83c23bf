-- Another file history of a home has the same numbers of points, but other nonces.
ALTER TABLE undo ADD COLUMN nonce TEXT NOT NULL DEFAULT '';   -- of to_point; '': unknown
