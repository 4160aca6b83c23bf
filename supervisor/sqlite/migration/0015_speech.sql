-- Answers that are said aloud. There is a row from the answer's delivery on until its recordings were sent, or can't be.
CREATE TABLE speech (
	delivery   INTEGER PRIMARY KEY REFERENCES outbox (id),  -- whose text is said
	user       TEXT NOT NULL,
	only       INTEGER NOT NULL,                -- 1: the delivery is held back; it is sent where this fails
	operations TEXT NOT NULL DEFAULT '',        -- those that make the recordings, in order (JSON); '' while there are none
	recording  INTEGER REFERENCES outbox (id)   -- the delivery of the recordings; NULL while they are made
) STRICT;
CREATE UNIQUE INDEX speech_recording ON speech (recording) WHERE recording IS NOT NULL;
CREATE INDEX speech_only ON speech (delivery) WHERE only = 1;
