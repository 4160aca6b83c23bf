package app

import (
	"context"
	"time"

	"mews/supervisor"
)

// cleanLimit is how many files are dropped at once.
const cleanLimit = 100

// cleanTerminal drops the bytes of files that have stood in a terminal for as long as they may: they hold a secret. A file is dropped
// once more where that it was dropped could not be kept, which does nothing.
func (s *service) cleanTerminal(ctx context.Context, now time.Time) error {
	cleanings := s.db.Cleanings()
	due, err := cleanings.Due(ctx, supervisor.ChannelTerminal, now, cleanLimit)
	if err != nil {
		return err
	}
	for _, c := range due {
		if err := s.spool.Remove(c.Message); err != nil {
			return err
		}
		if err := cleanings.Done(ctx, c.ID); err != nil {
			return err
		}
	}
	return nil
}
