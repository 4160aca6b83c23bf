-- The questions of a conversation that have no answer: each text that comes is held against them.
CREATE INDEX question_standing ON question (conversation) WHERE answer = '';
