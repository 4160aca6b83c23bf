-- The notices about messages that wait for an open question. They have the question's buttons.
CREATE TABLE question_reminder (
	delivery INTEGER PRIMARY KEY REFERENCES outbox (id),
	user     TEXT NOT NULL CHECK (user <> ''),
	question INTEGER NOT NULL REFERENCES question (id)
) STRICT;
CREATE INDEX question_reminder_question ON question_reminder (question);

-- The chats that refuse a user's messages. Jobs that post there wait.
CREATE TABLE refusing_chat (
	user     TEXT NOT NULL CHECK (user <> ''),
	channel  TEXT NOT NULL,
	chat     TEXT NOT NULL,
	tries    INTEGER NOT NULL,  -- how often the chat was tried in vain; 0 once the user is back
	retry_at INTEGER,           -- when the jobs go on, in milliseconds; NULL while they do
	PRIMARY KEY (user, channel, chat)
) STRICT, WITHOUT ROWID;
