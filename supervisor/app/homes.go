package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/admin"
	"mews/supervisor/hostcall"
	"mews/supervisor/operation"
	"mews/supervisor/pool"
)

// eraseSeconds is how long one call of erase empties a home. A client gives up a call after 30 s.
const eraseSeconds = 5

// homeSpec returns the spec of a one-shot worker that packs or empties a home, or its file history.
// The home's user may already be removed from the configuration.
func (s *service) homeSpec(user string, profile pool.WorkerProfile) (pool.WorkerSpec, error) {
	u, known := s.settings.Find(user)
	if !known {
		u = supervisor.User{Name: user, Home: filepath.Join(s.config.State, "homes", user)}
	}
	u.Home = cmp.Or(s.restoreTo, u.Home)
	find := s.locations.LocationForHomeOperation
	if s.restoring {
		find = s.locations.LocationForRestoring
	}
	if profile == pool.ProfileHistory {
		find, u.Home = s.locations.LocationForHistoryOperation, s.locations.ExistingHistoryPath(u)
	}
	location, err := find(u)
	if err != nil {
		return pool.WorkerSpec{}, fmt.Errorf("start a worker for the home of %s: %w", user, err)
	}
	return pool.WorkerSpec{Profile: profile, Location: location,
		Hello: &protocol.Hello{User: user, Home: s.locations.HomePathInSandbox(u.Home)}}, nil
}

// erase lets workers empty a home and its file history, each for some seconds.
func (s *service) erase(ctx context.Context, user string, what admin.EraseTargets) (erased admin.Erased) {
	if what.History {
		erased.History, erased.HistoryErr = s.operations.EraseHistory(ctx, user, eraseSeconds)
	}
	if what.Home && !erased.History.More && ctx.Err() == nil {
		erased.Home, erased.HomeErr = s.operations.EraseHome(ctx, user, eraseSeconds)
	}
	return erased
}

// eraseAlone does the work of erase in a process that runs no service.
func (s *service) eraseAlone(ctx context.Context, user string, what admin.EraseTargets) (erased admin.Erased) {
	err := s.withWorkers(ctx, func(ctx context.Context) error {
		erased = s.erase(ctx, user, what)
		return nil
	})
	erased.HistoryErr, erased.HomeErr = errors.Join(erased.HistoryErr, err), errors.Join(erased.HomeErr, err)
	return erased
}

// archiveAlone does the work of archive in a process that runs no service.
func (s *service) archiveAlone(ctx context.Context, user string, history bool) (a operation.Archive, err error) {
	err = s.withWorkers(ctx, func(ctx context.Context) (err error) {
		a, err = s.archive(ctx, user, history)
		return err
	})
	return a, err
}

// withWorkers starts the spawner and the pool, runs work, and ends them. It is for a process that
// runs no service.
func (s *service) withWorkers(ctx context.Context, work func(context.Context) error) (err error) {
	s.audit = admin.NewAuditWriter(s.db.Audit(), s.log.Named("audit"))
	s.hostCalls = &hostcall.Options{Audit: s.audit.RecordAction, Log: s.log.Named("hostcall"), Now: s.now,
		BlobDependencies:  hostcall.BlobDependencies{Blobs: s.db.Blobs(), Spool: s.spool},
		IndexDependencies: hostcall.IndexDependencies{HomeChanged: func(string) {}},
		DiskDependencies:  hostcall.DiskDependencies{DiskExceeded: func(string, protocol.DiskExceeded) {}},
		ReminderDependencies: hostcall.ReminderDependencies{RemindersReported: func(string, protocol.ReminderReport) {
		}},
	}
	if s.archives != nil {
		s.hostCalls.BlobDependencies = hostcall.BlobDependencies{Blobs: s.archives, Spool: s.archives}
	}
	for _, open := range []func(context.Context) error{s.openWorkers, s.openOperations} {
		if err := open(ctx); err != nil {
			return &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(textNoWorkers, err),
				Err: err}
		}
	}
	during, stop := context.WithCancelCause(ctx)
	ended := make(chan error, 2)
	go func() { // the code below waits for this goroutine
		err := s.pool.Run(during)
		stop(err) // if the walls do not hold, no worker starts
		ended <- err
	}()
	go func() { ended <- s.audit.Run(during) }() // the code below waits for this goroutine
	err = work(during)
	stop(nil)
	return errors.Join(err, <-ended, <-ended)
}
