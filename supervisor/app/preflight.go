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
	"mews/protocol"
	"mews/supervisor/app/policies"
	"mews/supervisor/command"
	"mews/supervisor/disk"
	"mews/supervisor/sqlite"
	"mews/supervisor/statefolder"
)

// Preflight tries a version on a copy of a service's data. Another version may serve it meanwhile.
// It tries the migrations, the walls, and one turn with the offline model. It returns how long the
// migrations take.
func Preflight(ctx context.Context, cfg *config.Config, version string) (migration time.Duration, err error) {
	dir := filepath.Join(cfg.State, preflightFolder) // workers pass through it
	if err := removePreflight(cfg.State); err != nil {
		return 0, err
	}
	if err := os.Mkdir(dir, 0o711); err != nil {
		return 0, err
	}
	lock, err := statefolder.LockFolder(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir), lock.Close()) }()
	if migration, err = tryMigrations(ctx, cfg, dir); err != nil {
		return migration, fmt.Errorf(textPreflightDatabase, err)
	}
	t := trial{version: version, log: hclog.NewNullLogger(), worker: cfg.Worker, dir: filepath.Join(dir, "trial")}
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
	if err := checkPreflightRoom(dir, from); err != nil {
		return 0, err
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

// checkPreflightRoom checks that a copy of a database and its migration leave the disk's reserve.
func checkPreflightRoom(dir, database string) error {
	space, err := disk.SpaceOf(dir)
	if err != nil {
		return err
	}
	needed := protocol.DiskReserve(space.Total)
	for _, file := range []string{database, database + "-wal"} {
		if info, err := os.Stat(file); err == nil { // there may be no journal
			needed += 2 * info.Size()
		}
	}
	if space.Free < needed {
		return fmt.Errorf(textNoPreflightRoom, dir, space.Free>>20, needed>>20)
	}
	return nil
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

// FindOpened reports whether a version has opened the database. No service may run. A database that
// this version has not even migrated counts as not opened.
func FindOpened(ctx context.Context, cfg *config.Config, version string) (bool, error) {
	path := filepath.Join(cfg.State, "private", "mews.db")
	db, err := sqlite.Open(ctx, path, sqlite.Options{Log: hclog.NewNullLogger(),
		Policies: policies.All(), MustExist: true, RefuseOlder: true, ReadOnlyIfUnwritable: true})
	if err != nil {
		if sqlite.IsOlder(err) {
			err = nil
		}
		return false, err
	}
	opened, err := db.Openings().Find(ctx)
	return opened == version, errors.Join(err, db.Close())
}
