-- What an inbound answers to, as the model reads it before the text; and which of our messages it is.
ALTER TABLE inbox ADD COLUMN quote TEXT NOT NULL DEFAULT '';
CREATE INDEX post_message ON post (conversation, message) WHERE message <> '';
