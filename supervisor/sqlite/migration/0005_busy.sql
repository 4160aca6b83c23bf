-- The turn that an inbound was taken into while that ran. NULL: its turn began with it, or it has none.
ALTER TABLE inbox ADD COLUMN turn INTEGER REFERENCES turn (id) ON DELETE SET NULL;
CREATE INDEX inbox_turn ON inbox (turn, id) WHERE turn IS NOT NULL;
