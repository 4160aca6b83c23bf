package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/config"
	"mews/supervisor"
	"mews/supervisor/app/policies"
	"mews/supervisor/command"
	"mews/supervisor/sqlite"
)

// Preflight tries a version on a copy of a service's data. Another version may serve it meanwhile.
// It tries the migrations, the walls, and one turn with the offline model. It returns how long the
// migrations take.
func Preflight(ctx context.Context, cfg *config.Config, version string) (migration time.Duration, err error) {
	dir := filepath.Join(cfg.State, "update-preflight") // workers pass through it
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o711)); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if migration, err = tryMigrations(ctx, cfg, dir); err != nil {
		return migration, fmt.Errorf(textPreflightDatabase, err)
	}
	t := trial{version: version, worker: cfg.Worker, dir: filepath.Join(dir, "trial")}
	if err := t.run(ctx); err != nil {
		return migration, fmt.Errorf(textPreflightTurn, err)
	}
	return migration, nil
}

// tryMigrations migrates a copy of the database in dir. A service without a database needs none.
func tryMigrations(ctx context.Context, cfg *config.Config, dir string) (took time.Duration, err error) {
	to := filepath.Join(dir, "mews.db")
	from := filepath.Join(cfg.State, "private", "mews.db")
	if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err := copyDatabase(from, to); err != nil {
		return 0, err
	}
	began := time.Now()
	db, err := sqlite.Open(ctx, to, sqlite.Options{Policies: policies.All(), EndsTurn: command.TurnEndingCommandNames(),
		WithoutCopy: true, MustExist: true})
	if err != nil {
		return 0, err
	}
	return time.Since(began), db.Close()
}

const (
	copyAttempts = 20
	copyPause    = 100 * time.Millisecond
)

// copyDatabase copies the files of a database that another process may have open. Between two
// checkpoints only the journal grows, and SQLite ignores its unfinished end. So the copy is whole if
// no checkpoint has changed the database meanwhile.
func copyDatabase(from, to string) error {
	for range copyAttempts {
		before, err := os.Stat(from)
		if err == nil {
			err = errors.Join(copyFile(from, to), copyFile(from+"-wal", to+"-wal"))
		}
		if err != nil {
			return err
		}
		after, err := os.Stat(from)
		if err != nil {
			return err
		}
		if after.ModTime().Equal(before.ModTime()) && after.Size() == before.Size() {
			return nil
		}
		time.Sleep(copyPause)
	}
	return errors.New(textCopyBusy)
}

// copyFile copies a file; a missing file is copied as an empty one.
func copyFile(from, to string) error {
	target, err := os.OpenFile(to, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	source, err := os.Open(from)
	if errors.Is(err, os.ErrNotExist) {
		return target.Close()
	}
	if err == nil {
		_, err = io.Copy(target, source)
		err = errors.Join(err, source.Close())
	}
	return errors.Join(err, target.Close())
}

// CheckOpened checks that a version has opened the database. No service may run.
func CheckOpened(ctx context.Context, cfg *config.Config, version string) error {
	path := filepath.Join(cfg.State, "private", "mews.db")
	db, err := sqlite.Open(ctx, path, sqlite.Options{Log: hclog.NewNullLogger(),
		Policies: policies.All(), MustExist: true, RefuseOlder: true, ReadOnlyIfUnwritable: true})
	if err != nil {
		return err
	}
	opened, err := db.Openings().Find(ctx)
	if err = errors.Join(err, db.Close()); err == nil && opened != version {
		err = &supervisor.Error{Code: supervisor.CodeUnavailable, Message: fmt.Sprintf(textNotOpened, version, opened)}
	}
	return err
}
