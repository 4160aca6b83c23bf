package engine

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// largeDatabase is the size in bytes above which a check would delay the start too much. A check of
// 100 MB takes about 200 ms.
const largeDatabase = 50 << 20

// errCheckCut means that the check for damage was interrupted.
var errCheckCut = errors.New("the check was cut short")

// SQL statements for the row that marks a proper close. The first transaction of a run deletes the
// row, and the last transaction writes it.
const (
	markClean   = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', 'clean', '1')`
	unmarkClean = `DELETE FROM setting WHERE user = '' AND name = 'clean'`
	findClean   = `SELECT count(*) FROM setting WHERE user = '' AND name = 'clean'`
)

// SQL statements for the time of the last check, in unix milliseconds.
const (
	putChecked  = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', 'checked', ?)`
	findChecked = `SELECT value FROM setting WHERE user = '' AND name = 'checked'`
)

// checkInterval is the longest time between two checks.
const checkInterval = 7 * 24 * time.Hour

// checkIsDue reports whether the last check is too long ago. A time in the future comes from a
// wrong clock and does not count.
func (c *connection) checkIsDue(now time.Time) (bool, error) {
	last := int64(0)
	err := c.run(func(r *Row) bool { r.Scan(&last); return false }, findChecked, nil)
	age := now.Sub(time.UnixMilli(last))
	return age < 0 || age >= checkInterval, err
}

// keepChecked stores the time of a check.
func (c *connection) keepChecked(now time.Time) error {
	return c.run(nil, putChecked, []any{fmt.Sprint(now.UnixMilli())})
}

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

// check searches for damage in a database that was not closed properly, or not checked for a week.
// It postpones the check of a large database; late is true then.
func (c *connection) check(path string, now time.Time) (late bool, err error) {
	size, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if size.Size() <= largeDatabase {
		if err := c.quickCheck(); err != nil {
			return false, err
		}
		return false, c.keepChecked(now)
	}
	return true, c.freezeFile()
}

// freezeFile keeps the file unchanged: all writes stay in the journal.
func (c *connection) freezeFile() error {
	return c.exec(truncateJournal + `; PRAGMA wal_autocheckpoint(0)`)
}

// unfreezeFile lets SQLite move the journal into the database again, after SQLite's default number
// of pages.
func (c *connection) unfreezeFile() error {
	return c.exec(`PRAGMA wal_autocheckpoint(1000); ` + truncateJournal)
}

// checkLate runs the postponed check on a second connection, which reads only the database file.
func (db *DB) checkLate(ctx context.Context) error {
	if !db.late.Load() {
		return nil
	}
	defer db.late.Store(false)
	c, err := openReader(ctx, db.path, db.o, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	if err != nil {
		return err
	}
	err = c.quickCheck()
	if closed := c.close(); err == nil {
		err = closed
	}
	switch {
	case ctx.Err() != nil:
		return errCheckCut
	case err != nil:
		return err
	}
	db.o.Log.Info("checked the database: it is sound")
	return db.unfreeze(func(c *connection) error { return c.keepChecked(db.o.Now()) })
}

// openReader opens a connection that only reads, until ctx ends.
func openReader(ctx context.Context, path string, o Options, parameters url.Values) (*connection, error) {
	raw, err := sqlite3.OpenContext(ctx, fileURI(path, parameters))
	if err != nil {
		return nil, err
	}
	raw.SetInterrupt(ctx)
	c := &connection{raw: raw, statements: map[string]*sqlite3.Stmt{}}
	if o.Extend != nil {
		err = o.Extend(raw)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// checkWeekly checks the running database if a check is due. An interrupted check stays due.
func (db *DB) checkWeekly(ctx context.Context) error {
	due := false
	err := db.with(func(c *connection) (err error) {
		if due, err = c.checkIsDue(db.o.Now()); err != nil || !due {
			return err
		}
		if due = db.frozen.CompareAndSwap(false, true); !due { // a backup reads the file
			return nil
		}
		db.late.Store(true)
		return c.freezeFile()
	})
	if err != nil || !due {
		return err
	}
	switch err = db.checkLate(ctx); {
	case errors.Is(err, errCheckCut):
		return nil
	case err == nil || errors.Is(err, sqlite3.CORRUPT) || errors.Is(err, sqlite3.NOTADB):
		return err
	}
	db.o.Log.Warn("the weekly check of the database failed; it is tried again", "error", err)
	return db.unfreeze(func(*connection) error { return nil })
}

func (c *connection) quickCheck() error { return c.verdict(`PRAGMA quick_check(1)`) }

// verdict runs a check of SQLite.
func (c *connection) verdict(check string) error {
	var verdict string
	err := c.run(func(r *Row) bool { r.Scan(&verdict); return false }, check, nil)
	if err == nil && verdict != "ok" {
		err = fmt.Errorf("%w: %s", sqlite3.CORRUPT, verdict)
	}
	return err
}
