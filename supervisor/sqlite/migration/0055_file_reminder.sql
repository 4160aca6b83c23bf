-- Reminders of to-dos and of calendar events, as the user's worker has reported them.
CREATE TABLE file_reminder (
	id         INTEGER PRIMARY KEY,
	user       TEXT NOT NULL,
	file       TEXT NOT NULL,
	item       TEXT NOT NULL,      -- number of the to-do, or UID of the event
	occurrence TEXT NOT NULL,
	trigger    TEXT NOT NULL,
	written    TEXT NOT NULL,      -- time of the to-do or event, as the file has it
	lead       INTEGER NOT NULL,   -- seconds from the reminder to that time
	date_only  INTEGER NOT NULL,
	title      TEXT NOT NULL,
	world      INTEGER NOT NULL,   -- the title may have words of others
	due_at     INTEGER NOT NULL,   -- time of the reminder
	zone       TEXT NOT NULL,      -- time zone for which due_at was computed
	state      TEXT NOT NULL CHECK (state IN ('waiting', 'said', 'counted')),
	delivery   INTEGER REFERENCES outbox (id) ON DELETE SET NULL,
	told       INTEGER NOT NULL DEFAULT 0,   -- the model has the text
	created_at INTEGER NOT NULL,
	changed_at INTEGER NOT NULL,
	UNIQUE (user, file, item, occurrence, trigger)
) STRICT;
CREATE INDEX file_reminder_due ON file_reminder (due_at) WHERE state = 'waiting';
CREATE INDEX file_reminder_zone ON file_reminder (user, zone) WHERE state = 'waiting';
CREATE INDEX file_reminder_delivery ON file_reminder (delivery) WHERE delivery IS NOT NULL;
CREATE INDEX file_reminder_told ON file_reminder (user) WHERE told = 0 AND delivery IS NOT NULL;

-- How many reminders from files a user has got on a day.
CREATE TABLE file_reminder_day (
	user        TEXT PRIMARY KEY,
	day         TEXT NOT NULL,               -- the day in the user's time zone
	said        INTEGER NOT NULL,            -- reminders of that day
	counted     INTEGER NOT NULL,            -- a message has counted the other reminders of that day
	reported_at INTEGER NOT NULL DEFAULT 0   -- when the worker reported last
) STRICT, WITHOUT ROWID;
