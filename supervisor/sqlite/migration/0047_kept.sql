-- The notices about messages that wait for an open question. They have the question's buttons.
CREATE TABLE question_reminder (
	delivery INTEGER PRIMARY KEY REFERENCES outbox (id),
	user     TEXT NOT NULL CHECK (user <> ''),
	question INTEGER NOT NULL REFERENCES question (id)
) STRICT;
CREATE INDEX question_reminder_question ON question_reminder (question);

-- The chats that have refused a user's messages. Jobs that post there wait until retry_at.
CREATE TABLE refusing_chat (
	channel  TEXT NOT NULL,
	chat     TEXT NOT NULL,
	user     TEXT NOT NULL CHECK (user <> ''),
	tries    INTEGER NOT NULL,  -- how often the chat has refused; 0 once the user is back
	retry_at INTEGER,           -- in milliseconds; NULL while the jobs go on
	PRIMARY KEY (channel, chat, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX refusing_chat_retry ON refusing_chat (retry_at) WHERE retry_at IS NOT NULL;
