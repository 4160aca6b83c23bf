-- A row with points stands for all changes of the home between two points of its file history.
ALTER TABLE undo ADD COLUMN from_point INTEGER NOT NULL DEFAULT 0;   -- 0: the row is a change of one path
ALTER TABLE undo ADD COLUMN to_point INTEGER NOT NULL DEFAULT 0;
ALTER TABLE undo ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;       -- 1: another program ran between the points too
ALTER TABLE undo ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;         -- 1: the bytes from before are in the file history
