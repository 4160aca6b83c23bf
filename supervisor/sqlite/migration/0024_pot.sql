-- A pot is money that is not its person's: what is spent of it counts to the pot and to everybody, and to no person's day or month. Its
-- name has a slash, so it stands beside people's names in spent.
ALTER TABLE usage ADD COLUMN pot TEXT CHECK (instr(pot, '/') > 0);  -- NULL: its person's
ALTER TABLE lease ADD COLUMN pot TEXT CHECK (instr(pot, '/') > 0);
DROP TRIGGER usage_is_spent;
CREATE TRIGGER usage_is_spent AFTER INSERT ON usage WHEN new.cost > 0
BEGIN
	INSERT INTO spent (user, quarter, cost) VALUES
		(coalesce(new.pot, new.user), new.created_at / 900000, new.cost), ('', new.created_at / 900000, new.cost)
		ON CONFLICT (user, quarter) DO UPDATE SET cost = cost + excluded.cost;
END;

-- What a turn below another is for: asked for again after a crash, it is found by that.
ALTER TABLE turn ADD COLUMN name TEXT CHECK (name <> '');
CREATE UNIQUE INDEX turn_name ON turn (parent, name) WHERE name IS NOT NULL;
