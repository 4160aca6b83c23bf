package outbox

import (
	"context"
	"time"

	"mews/supervisor"
)

// FileCleaner removes expired files of channels that can't delete a message.
type FileCleaner struct {
	Cleanings CleanupStore
	Remove    func(sha256 string) error // deletes a file's bytes
}

// RemoveExpiredFiles removes files with an expired secret. After a crash it may remove a file a
// second time, which does nothing.
func (f FileCleaner) RemoveExpiredFiles(ctx context.Context, now time.Time) error {
	for _, channel := range supervisor.FilterChannels(func(can supervisor.Capabilities) bool { return !can.Delete }) {
		if err := f.cleanChannel(ctx, channel, now); err != nil {
			return err
		}
	}
	return nil
}

func (f FileCleaner) cleanChannel(ctx context.Context, channel supervisor.Channel, now time.Time) error {
	due, err := f.Cleanings.ListDue(ctx, channel, now, cleanLimit)
	if err != nil {
		return err
	}
	for _, c := range due {
		if err := f.Remove(c.Message); err != nil {
			return err
		}
		if err := f.Cleanings.DeleteCleanup(ctx, c.ID); err != nil {
			return err
		}
	}
	return nil
}
