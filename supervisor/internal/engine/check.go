package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// largeDatabase is the size in bytes above which a check would delay the start too much; 100 MB
// take about 200 ms.
const largeDatabase = 50 << 20

// errCheckCut is the error of an interrupted check.
var errCheckCut = errors.New("the check was cut short")

// Statements about the row that marks a proper close. The first transaction of a run deletes it,
// and the last one writes it.
const (
	markClean   = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', 'clean', '1')`
	unmarkClean = `DELETE FROM setting WHERE user = '' AND name = 'clean'`
	findClean   = `SELECT count(*) FROM setting WHERE user = '' AND name = 'clean'`
)

// wasClean reports whether the database needs no check: it was closed properly, or it is new.
func (c *connection) wasClean() (bool, error) {
	version, err := c.pragma("user_version")
	if err != nil || version == 0 {
		return err == nil, err
	}
	var n int
	err = c.run(func(r *Row) bool { r.Scan(&n); return false }, findClean, nil)
	return n == 1, err
}

// check searches a database that was not closed properly for damage. It postpones the check of a
// large one.
func (c *connection) check(path string) (late bool, err error) {
	size, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if size.Size() <= largeDatabase {
		return false, c.quickCheck()
	}
	// The file stays unchanged until it is checked: all writes stay in the journal.
	return true, c.exec(truncateJournal + `; PRAGMA wal_autocheckpoint(0)`)
}

// autoCheckpoint moves the journal into the database after so many pages: SQLite's own number.
const autoCheckpoint = `PRAGMA wal_autocheckpoint(1000)`

// checkLate runs the postponed check, on a connection of its own that reads only the file.
func (db *DB) checkLate(ctx context.Context) error {
	if !db.checkIsLate {
		return nil
	}
	raw, err := sqlite3.OpenContext(ctx, fileURI(db.path, url.Values{"mode": {"ro"}, "immutable": {"1"}}))
	if err != nil {
		return err
	}
	raw.SetInterrupt(ctx)
	c := &connection{raw: raw, statements: map[string]*sqlite3.Stmt{}}
	if err = db.o.Extend(raw); err == nil {
		err = c.quickCheck()
	}
	if closed := c.close(); err == nil {
		err = closed
	}
	switch {
	case ctx.Err() != nil:
		return errCheckCut
	case err != nil:
		return err
	}
	db.o.Log.Info("checked the database after an unclean stop: it is sound")
	return db.with(func(c *connection) error { return c.exec(autoCheckpoint) })
}

func (c *connection) quickCheck() error {
	var verdict string
	err := c.run(func(r *Row) bool { r.Scan(&verdict); return false }, `PRAGMA quick_check(1)`, nil)
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("%w: %s", sqlite3.CORRUPT, verdict)
	}
	return err
}
