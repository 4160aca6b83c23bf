package app

import (
	"context"
	"time"

	"mews/supervisor"
)

// cleanLimit is how many files are dropped at once.
const cleanLimit = 100

// cleanFiles drops the bytes of files that have stood for as long as they may where no message can
// be taken away: they hold a secret. A file is dropped once more where that it was dropped could
// not be kept, which does nothing.
func (s *service) cleanFiles(ctx context.Context, now time.Time) error {
	for _, channel := range supervisor.ChannelsThat(func(can supervisor.Capabilities) bool { return !can.Delete }) {
		if err := s.cleanFilesOf(ctx, channel, now); err != nil {
			return err
		}
	}
	return nil
}

func (s *service) cleanFilesOf(ctx context.Context, channel supervisor.Channel, now time.Time) error {
	cleanings := s.db.Cleanings()
	due, err := cleanings.ListDue(ctx, channel, now, cleanLimit)
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
