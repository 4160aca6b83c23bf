package app

import (
	"context"
	"time"

	"mews/supervisor"
)

const (
	cleanEvery = time.Minute // it is looked at whether a file has stood in a terminal for as long as it may
	cleanLimit = 100         // files at once
)

// clean drops the bytes of files that have stood in a terminal for as long as they may: they hold a secret. A file is dropped
// once more where that it was dropped could not be kept, which does nothing.
func (f force) clean(ctx context.Context, now time.Time) error {
	cleanings := f.s.db.Cleanings()
	due, err := cleanings.Due(ctx, supervisor.ChannelTerminal, now, cleanLimit)
	if err != nil {
		return err
	}
	for _, c := range due {
		if err := f.s.spool.Remove(c.Message); err != nil {
			return err
		}
		if err := cleanings.Done(ctx, c.ID); err != nil {
			return err
		}
	}
	return nil
}
