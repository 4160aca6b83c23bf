-- Removed mutes stay stored, so that an old thumbs-down mutes no finding again.
ALTER TABLE review_mute ADD COLUMN removed_at INTEGER;  -- in milliseconds; NULL while it is muted

-- The issues that a triage has recognized as security reports: all later notices about them are private.
INSERT OR IGNORE INTO setting (user, name, value)
	SELECT '', 'github private ' || repo || '#' || number, 'on' FROM triage
	WHERE json_valid(report) AND json_extract(report, '$.security');
