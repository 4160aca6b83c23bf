package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// largeDatabase is the size in bytes above which a check would hold up the start; 100 MB take about 200 ms.
const largeDatabase = 50 << 20

// errCheckCut says that a check was ended before it was done.
var errCheckCut = errors.New("the check was cut short")

// The mark of a proper close is a row. The first transaction of a run deletes it and the last one writes it.
const (
	markClean   = `INSERT OR REPLACE INTO setting (user, name, value) VALUES ('', 'clean', '1')`
	unmarkClean = `DELETE FROM setting WHERE user = '' AND name = 'clean'`
	findClean   = `SELECT count(*) FROM setting WHERE user = '' AND name = 'clean'`
)

// wasClean says whether the database needs no check: it was closed properly, or it is new.
func (c *connection) wasClean(ctx context.Context) (bool, error) {
	version, err := c.pragma(ctx, "user_version")
	if err != nil || version == 0 {
		return err == nil, err
	}
	var n int64
	err = c.conn.QueryRowContext(ctx, findClean).Scan(&n)
	return n == 1, err
}

// check looks for damage in a database that was not closed properly, unless it is too large for that now.
func check(ctx context.Context, c *connection, path string, clean bool) (late bool, err error) {
	if clean {
		return false, nil
	}
	size, err := os.Stat(path)
	if err != nil {
		return false, err
	}
	if size.Size() > largeDatabase {
		return true, nil
	}
	return false, quickCheck(c.conn.QueryRowContext(ctx, quickCheckQuery))
}

// checkLate does the check that Open has put off, on a connection that reads.
func (db *DB) checkLate(ctx context.Context) error {
	if !db.unchecked {
		return nil
	}
	err := quickCheck(db.readers.QueryRowContext(ctx, quickCheckQuery))
	if ctx.Err() != nil {
		return errCheckCut
	}
	if err == nil {
		db.log.Info("checked the database after an unclean stop: it is sound")
	}
	return err
}

const quickCheckQuery = `PRAGMA quick_check(1)`

// quickCheck reads the verdict of quickCheckQuery.
func quickCheck(row *sql.Row) error {
	var verdict string
	if err := row.Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", sqlite3.CORRUPT, verdict)
	}
	return nil
}
