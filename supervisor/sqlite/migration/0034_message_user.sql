-- What was said with a person, by time.
CREATE INDEX message_user ON message (user, created_at);
