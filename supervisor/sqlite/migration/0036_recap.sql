-- What was last said in the person's other private conversations, as the message began a conversation: an array of {message, at}. What
-- those messages say stands there alone. '' is nothing.
ALTER TABLE message ADD COLUMN recap TEXT NOT NULL DEFAULT '';
