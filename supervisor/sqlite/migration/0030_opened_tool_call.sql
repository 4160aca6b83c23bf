-- The call of find_tools that has opened a tool; '' where it was opened otherwise.
ALTER TABLE opened_tool ADD COLUMN call TEXT NOT NULL DEFAULT '';
