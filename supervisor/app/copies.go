package app

import (
	"context"
	"strconv"
	"strings"
	"time"
)

const (
	// copyRetention is how long the service must have run with the migrated database before its copies
	// are deleted.
	copyRetention = 7 * 24 * time.Hour
	// copyInterval is the time between two counts of it. Less than one of them does not count.
	copyInterval = time.Hour
	// copyServed is the setting that counts: the hours, and the copies that they are about.
	copyServed = "copies.served"
)

// keepCopies deletes the database's copies after the service has run for seven days with them, until ctx ends.
func (s *storage) keepCopies(ctx context.Context) error {
	tick := time.NewTicker(copyInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := s.countCopyHour(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("count the age of the database's copies", "error", err)
			}
		}
	}
}

// countCopyHour counts one more hour with the copies that there are. New ones start the count again.
func (s *storage) countCopyHour(ctx context.Context) error {
	paths, err := s.db.Copies().List()
	if err != nil || len(paths) == 0 {
		return err
	}
	of, settings := strings.Join(paths, "\n"), s.db.Settings()
	stored, _, err := settings.Find(ctx, "", copyServed)
	if err != nil {
		return err
	}
	hours, counted, _ := strings.Cut(stored, " ")
	served, err := strconv.Atoi(hours)
	if err != nil || counted != of {
		served = 0
	}
	if served++; time.Duration(served)*copyInterval < copyRetention {
		return settings.Put(ctx, "", copyServed, strconv.Itoa(served)+" "+of)
	}
	if _, err := s.db.Copies().Delete(); err != nil {
		return err
	}
	return settings.Delete(ctx, "", copyServed)
}
