package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/backup"
	"mews/supervisor/command"
	"mews/supervisor/index"
	"mews/supervisor/restore"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/statefolder"
)

// storage holds the configuration, the state folder and the databases in it.
type storage struct {
	config    *config.Config
	version   string
	log       hclog.Logger
	since     time.Time
	now       func() time.Time // the time for events, codes, logins and budgets
	lock      *os.File
	committed func() // called after each commit; may be nil
	zone      func(user, chosen string) *time.Location
	db        *sqlite.DB
	spool     *spool.Spool
	index     *index.Index // the index; nil until it is made, and without a service
	idle      bool         // whether this process is a command that runs no service
	isTrial   bool         // whether the service only answers a trial message
	isNew     bool         // whether the state folder had no earlier files
	// the version before this one, if this is the first start after an update; otherwise ""
	updatedFrom string
	closers     []func() error
	// the journal beside the backups; nil until the database is open
	backupJournal *backup.Journal

	restoring bool               // whether this process restores a backup
	restoreTo string             // the folder for the one home that is restored; "" means the user's home
	archives  *restoringArchives // gives archives to the workers that restore homes; nil without a restore

	newDatabase, newHomes, withoutCopy, allowDifferences bool // see the fields of Options with these names
}

// close closes everything that was opened, in the reverse order.
func (s *storage) close() error {
	var errs []error
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i]())
	}
	return errors.Join(errs...)
}

// addCloser adds a function that close will call.
func (s *storage) addCloser(f func() error) { s.closers = append(s.closers, f) }

// private returns the path of a file that only the supervisor may read.
func (s *storage) private(name string) string { return filepath.Join(s.config.State, "private", name) }

// keepModes repairs the permissions of the supervisor's own files until ctx ends.
func (s *storage) keepModes(ctx context.Context) error {
	return statefolder.FileModeRestorer{Private: s.private(""), Log: s.log}.Run(ctx)
}

// openState creates and locks the state folder.
func (s *storage) openState(context.Context) (err error) {
	for _, dir := range []struct {
		path string
		mode os.FileMode
	}{{s.config.State, 0o711}, {s.private(""), 0o700}} {
		if err := os.MkdirAll(dir.path, dir.mode); err != nil {
			return fmt.Errorf("make the state folder: %w", err)
		}
	}
	if s.lock == nil {
		if s.lock, err = statefolder.LockFolder(s.config.State); err != nil {
			return err
		}
	}
	s.addCloser(s.lock.Close)
	if s.restoring {
		return nil
	}
	return restore.RefuseUnfinished(s.config.State)
}

// openStore opens the database and the spool.
func (s *storage) openStore(ctx context.Context) (err error) {
	used, err := statefolder.HasEarlierFiles(s.config.State)
	if err != nil {
		return err
	}
	s.isNew = !used
	if s.db, err = sqlite.Open(ctx, s.private("mews.db"), sqlite.Options{Now: s.now, Log: s.log.Named("sqlite"),
		EndsTurn: command.TurnEndingCommandNames(), OnCommit: s.committed, OnMessage: s.indexMessage, Zone: s.zone,
		Policies: policies.All(), MustExist: used && !s.newDatabase, RefuseOlder: s.idle, ReadOnlyIfUnwritable: s.idle,
		WithoutCopy: s.withoutCopy, AllowDifferences: s.allowDifferences}); err != nil {
		return err
	}
	s.addCloser(s.db.Close)
	if s.spool, err = spool.Open(s.private("spool")); err != nil {
		return err
	}
	s.addCloser(s.spool.Close)
	s.backupJournal = &backup.Journal{Dir: BackupsDir(s.config)}
	return nil
}

const (
	sweepInterval = 24 * time.Hour
	// updates are kept for debugging; GitHub may repeat a webhook delivery for 3 days
	updateRetention = 7 * 24 * time.Hour
)

// sweepSpool deletes old files from the spool, except those that are still to be sent.
func (s *storage) sweepSpool(ctx context.Context) error {
	wanted, err := s.db.Blobs().ListNeeded(ctx)
	if err == nil {
		_, err = s.spool.RemoveUnwantedBlobs(time.Now().Add(-spool.Retention), wanted)
	}
	return err
}

// sweep deletes old files, updates, webhook deliveries and addresses of the web once a day, until ctx
// ends.
func (s *storage) sweep(ctx context.Context) error {
	tick := time.NewTicker(sweepInterval)
	defer tick.Stop()
	for {
		if err := s.sweepSpool(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("sweep the spool", "error", err)
		}
		if _, err := s.db.Inbox().DeleteRawUpdates(ctx, time.Now().Add(-updateRetention)); err != nil &&
			ctx.Err() == nil {
			s.log.Warn("forget old updates", "error", err)
		}
		if err := s.db.WebhookDeliveries().Prune(ctx, time.Now().Add(-updateRetention)); err != nil && ctx.Err() == nil {
			s.log.Warn("forget old webhook deliveries", "error", err)
		}
		if err := s.db.WebAddresses().Prune(ctx); err != nil && ctx.Err() == nil {
			s.log.Warn("forget old addresses of the web", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// removeSecretFile deletes the file of an expired secret message.
func (s *storage) removeSecretFile(f supervisor.File) {
	if err := s.spool.RemoveBlob(f.SHA256); err != nil {
		s.log.Warn("delete a file with a secret", "error", err)
	}
}
