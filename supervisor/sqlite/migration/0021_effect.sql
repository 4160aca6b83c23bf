-- What was done without a turn is in the ledger too, and each row says whose word it is.
CREATE TABLE effect_new (
	id          INTEGER PRIMARY KEY AUTOINCREMENT,
	user        TEXT NOT NULL,
	turn        INTEGER REFERENCES turn (id),   -- NULL: none did it
	call        TEXT NOT NULL,                  -- '': no tool call did it
	kind        TEXT NOT NULL CHECK (kind <> ''),
	target      TEXT NOT NULL,
	detail      TEXT NOT NULL,
	reported_by TEXT NOT NULL CHECK (reported_by IN ('worker', 'supervisor')),
	created_at  INTEGER NOT NULL
) STRICT;
INSERT INTO effect_new SELECT id, user, turn, call, kind, target, detail, iif(instr(kind, '.') > 0, 'supervisor', 'worker'),
	created_at FROM effect;
DROP TABLE effect;
ALTER TABLE effect_new RENAME TO effect;
CREATE INDEX effect_turn ON effect (turn, id);
CREATE INDEX effect_user ON effect (user, created_at);

ALTER TABLE outbox ADD COLUMN effects TEXT NOT NULL DEFAULT '';  -- what the answer's turn did, in lines (JSON); '' is nothing to tell
