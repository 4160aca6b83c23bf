package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// largeDatabase is the size in bytes above which a check would delay the start too much. A check of
// 100 MB takes about 200 ms.
const largeDatabase = 50 << 20

// errCheckCut means that the check for damage was interrupted.
var errCheckCut = errors.New("the check was cut short")

// Statements about the row that marks a proper close. The first transaction of a run deletes the
// row, and the last transaction writes it.
const (
	markClean   = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', 'clean', '1')`
	unmarkClean = `DELETE FROM setting WHERE user = '' AND name = 'clean'`
	findClean   = `SELECT count(*) FROM setting WHERE user = '' AND name = 'clean'`
)

// wasClean reports whether the database was closed properly or is new, and so needs no check.
func (c *connection) wasClean() (bool, error) {
	version, err := c.pragma("user_version")
	if err != nil || version == 0 {
		return err == nil, err
	}
	var n int
	err = c.run(func(r *Row) bool { r.Scan(&n); return false }, findClean, nil)
	return n == 1, err
}

// check looks for damage if the database was not closed properly. The check of a large database is
// postponed.
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

// autoCheckpoint makes SQLite move the journal into the database after 1000 pages, SQLite's own
// default.
const autoCheckpoint = `PRAGMA wal_autocheckpoint(1000)`

// checkLate runs the postponed check on a second connection, which reads only the database file.
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
