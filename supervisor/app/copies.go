package app

import (
	"context"
	"strconv"
	"strings"
	"time"
)

const (
	// copyRetention is how long the service must have run with the migrated database before its
	// copies are deleted.
	copyRetention = 7 * 24 * time.Hour
	// copyInterval is how often the service stores how long it has run. A killed service loses less
	// than one interval.
	copyInterval = 10 * time.Minute
	// copyServed is the name of a setting. It stores how long the service has run with the copies,
	// and the names of these copies.
	copyServed = "copies.served"
	// copyEndTimeout limits how long the last update of copyServed may take, when the service ends.
	copyEndTimeout = time.Second
)

// keepCopies deletes the database's copies after the service has run for seven days with them. It
// runs until ctx ends. The days add up over restarts.
func (s *storage) keepCopies(ctx context.Context) error {
	tick := time.NewTicker(copyInterval)
	defer tick.Stop()
	counted := time.Now()
	count := func(ctx context.Context) {
		now := time.Now()
		if err := s.countServed(ctx, now.Sub(counted)); err != nil {
			s.log.Warn("count the age of the database's copies", "error", err)
		}
		counted = now
	}
	for {
		select {
		case <-ctx.Done():
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyEndTimeout)
			defer cancel()
			count(ctx)
			return nil
		case <-tick.C:
			count(ctx)
		}
	}
}

// countServed adds a duration to the stored time that the service has run with the present copies.
// If there is a new copy, the count starts again.
func (s *storage) countServed(ctx context.Context, more time.Duration) error {
	paths, err := s.db.MigrationCopies().List()
	if err != nil || len(paths) == 0 {
		return err
	}
	of, settings := strings.Join(paths, "\n"), s.db.Settings()
	stored, _, err := settings.Find(ctx, "", copyServed)
	if err != nil {
		return err
	}
	before, counted, _ := strings.Cut(stored, " ")
	served := parseServed(before)
	if counted != of {
		served = 0
	}
	if served += more; served < copyRetention {
		return settings.Put(ctx, "", copyServed, served.Round(time.Second).String()+" "+of)
	}
	if _, err := s.db.MigrationCopies().Delete(); err != nil {
		return err
	}
	return settings.Delete(ctx, "", copyServed)
}

// parseServed parses the stored time that the service has run; an unreadable time counts as 0. A
// bare number counts hours, as earlier versions stored it.
func parseServed(text string) time.Duration {
	if hours, err := strconv.Atoi(text); err == nil {
		return time.Duration(hours) * time.Hour
	}
	served, _ := time.ParseDuration(text) // a stored time that can't be read counts as 0
	return served
}
