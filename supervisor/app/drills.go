package app

import (
	"context"
	"time"

	"mews/supervisor/app/policies"
	"mews/supervisor/backup"
	"mews/supervisor/command"
	"mews/supervisor/internal/idle"
	"mews/supervisor/internal/retry"
	"mews/supervisor/restore"
	"mews/supervisor/sqlite"
)

const (
	drillTick = time.Hour
	// DrillInterval is how often the service tries its newest backup.
	DrillInterval = 30 * 24 * time.Hour
	// drillRetryInterval is how soon it tries again after a failure.
	drillRetryInterval = 24 * time.Hour
)

// runDrills tries every month whether the newest backup can be restored, until ctx ends.
func (s *service) runDrills(ctx context.Context) error {
	for retry.Sleep(ctx, drillTick) {
		if err := s.drillIfDue(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("could not try to restore the newest backup", "error", err)
		}
	}
	return nil
}

// drillIfDue tries the newest backup, if the last drill is long ago. It stores the result.
func (s *service) drillIfDue(ctx context.Context) error {
	last, _, _ := restore.ReadDrill(s.config.State) // a result that can't be read is written anew
	if s.safe.on || !isDrillDue(last, s.now()) {
		return nil
	}
	newest, err := backup.Latest(BackupsDir(s.config))
	if err != nil || newest == nil {
		return err
	}
	work, end, err := restore.OpenWork(s.config.State)
	if err != nil {
		return err
	}
	defer func() {
		if err := end(); err != nil {
			s.log.Warn("delete the copies of a drill", "error", err)
		}
	}()
	if err := checkPreflightRoom(work, newest.Path+"/"+backup.DatabaseName); err != nil {
		return err
	}
	var r restore.DrillResult
	err = idle.Run(func() (err error) {
		r, err = restore.Drill(ctx, newest.Path, s.config.State, s.now(), nil, s.tryRestored)
		return err
	})
	if err == nil {
		s.log.Info("tried to restore the newest backup", "folder", r.Backup, "homes", r.Homes, "failure", r.Failure)
	}
	return err
}

// isDrillDue reports whether the last drill is long enough ago. A time in the future comes from a wrong
// clock and does not count.
func isDrillDue(last restore.DrillResult, now time.Time) bool {
	interval := DrillInterval
	if last.Failure != "" {
		interval = drillRetryInterval
	}
	age := now.Sub(last.At)
	return age < 0 || age >= interval
}

// openRestored opens a copy of a backup's database, and updates its schema.
func (s *service) openRestored(ctx context.Context, path string) (*sqlite.DB, error) {
	return sqlite.Open(ctx, path, sqlite.Options{Now: s.now, Log: s.log, EndsTurn: command.TurnEndingCommandNames(),
		Policies: policies.All(), MustExist: true, WithoutCopy: true})
}

// tryRestored opens a copy of a backup's database, updates its schema, and closes it.
func (s *service) tryRestored(ctx context.Context, path string) error {
	db, err := s.openRestored(ctx, path)
	if err != nil {
		return err
	}
	return db.Close()
}
