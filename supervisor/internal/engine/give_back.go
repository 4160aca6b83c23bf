package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// OpenedSetting is the name of the setting that records the newest program that has opened: the
// version of its schema, a space, and its own version.
const OpenedSetting = "opened"

// unopenedInfix stands between the path of a database and a time, in the name of a database that a
// newer program has migrated and then never opened.
const unopenedInfix = savedInfix + "unopened-"

// hasUnopenedMigration reports whether a newer program has migrated the database and has not opened
// since. The copy from before that migration then holds all data.
func (c *connection) hasUnopenedMigration(path string, o Options) (bool, error) {
	names, have, err := c.versions(o.Migrations)
	if err != nil || have <= int64(len(names)) || len(names) == 0 {
		return false, err
	}
	var opened string
	const find = `SELECT value FROM setting WHERE user = '' AND name = '` + OpenedSetting + `'`
	if err := c.run(func(r *Row) bool { r.Scan(&opened); return false }, find, nil); err != nil {
		return false, nil // no database of Mews, which refuseUnusable says
	}
	schema, _, _ := strings.Cut(opened, " ")
	if schema != strconv.Itoa(len(names)) {
		return false, nil
	}
	_, err = os.Stat(MigrationCopyPath(path, int64(len(names))))
	return err == nil, nil
}

// giveBack replaces the database by its copy from before a migration whose program has not opened.
// The migrated database stays beside it. The database must be closed.
func giveBack(path string, o Options) error {
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("bring back the database from before the update: %s-wal still has changes", path)
	}
	names, err := migrationNames(o.Migrations)
	if err != nil {
		return err
	}
	aside := path + unopenedInfix + o.Now().UTC().Format("20060102-150405")
	if err := errors.Join(removeIfThere(aside), os.Link(path, aside)); err != nil {
		return err
	}
	copied := MigrationCopyPath(path, int64(len(names)))
	if err := os.Rename(copied, path); err != nil {
		return err
	}
	return errors.Join(removeIfThere(path+"-wal"), syncDir(filepath.Dir(path)))
}

// emptyJournal moves all changes from the journal into the database.
func (c *connection) emptyJournal() error {
	_, _, err := c.raw.WALCheckpoint("main", sqlite3.CHECKPOINT_TRUNCATE)
	return err
}
