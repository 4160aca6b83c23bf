-- The delivery that brings what an effect tells of: its outcome becomes the effect's. 0: none.
ALTER TABLE effect ADD COLUMN delivery INTEGER NOT NULL DEFAULT 0;
-- 0: the channel has refused it, and the model does not know that yet.
ALTER TABLE effect ADD COLUMN told INTEGER NOT NULL DEFAULT 1;
CREATE INDEX effect_delivery ON effect (delivery) WHERE delivery > 0;
CREATE INDEX effect_untold ON effect (user) WHERE told = 0;

-- The channel's name of the message that a notice replies to. '': what its inbound has.
ALTER TABLE outbox ADD COLUMN reply_to TEXT NOT NULL DEFAULT '';
