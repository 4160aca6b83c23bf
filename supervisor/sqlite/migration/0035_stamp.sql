-- When, where and how the person has sent a message, as the model reads it. It never changes; '' is none.
ALTER TABLE message ADD COLUMN stamp TEXT NOT NULL DEFAULT '';
