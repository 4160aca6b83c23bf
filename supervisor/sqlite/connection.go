package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
)

const (
	readerCount = 2           // connections that read at once; each holds about 0.3 MB
	readerIdle  = time.Minute // inboundTransitions which an unused one is closed; a new one takes less than a millisecond
)

// writerPragmas and readerPragmas are set on every new connection, in this order.
var (
	writerPragmas = []string{
		"busy_timeout(5000)",
		"journal_mode(wal)",
		"synchronous(full)",
		"foreign_keys(on)",
		"mmap_size(0)", // a mapped file has made corruption worse than it was
		"cell_size_check(on)",
		"trusted_schema(off)",
		"temp_store(memory)", // nobody's words in /tmp
		"secure_delete(on)",  // what was taken out is left nowhere: with fast, not in a corner of a page, but on pages of its own
		"journal_size_limit(16777216)",
		"cache_size(-512)", // KiB, of which 2,000 are the default: nearly all that is written was just read
	}
	readerPragmas = []string{
		"busy_timeout(5000)",
		"query_only(on)",
		"mmap_size(0)",
		"cell_size_check(on)",
		"trusted_schema(off)",
		"temp_store(memory)",
		"cache_size(-256)", // KiB
	}
)

// connection is the one connection that writes, with its prepared statements. One goroutine at a time uses it.
type connection struct {
	pool       *sql.DB // of one connection: conn
	conn       *sql.Conn
	raw        *sqlite3.Conn
	statements map[string]*sql.Stmt // by their text
}

// connect opens the connection that writes. The file must be there.
func connect(ctx context.Context, path string) (*connection, error) {
	pool, err := driver.Open(dataSourceName(path, "rw", writerPragmas), enableStablePlans)
	if err != nil {
		return nil, err
	}
	c := &connection{pool: pool, statements: map[string]*sql.Stmt{}}
	c.conn, err = pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	if err := c.createJournal(ctx, path); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// createJournal reads something, which makes the files of the journal, and takes them from everybody else while nothing is in
// them.
func (c *connection) createJournal(ctx context.Context, path string) error {
	if err := c.conn.Raw(c.keepRaw); err != nil {
		return err
	}
	if _, err := c.pragma(ctx, "user_version"); err != nil {
		return err
	}
	return restrictMode(path)
}

func (c *connection) keepRaw(dc any) error {
	c.raw = dc.(driver.Conn).Raw()
	return nil
}

// connectReaders makes the pool of read-only connections; none is opened until it is needed.
func connectReaders(path string) (*sql.DB, error) {
	pool, err := driver.Open(dataSourceName(path, "ro", readerPragmas), enableStablePlans)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(readerCount)
	pool.SetMaxIdleConns(readerCount)
	pool.SetConnMaxIdleTime(readerIdle)
	return pool, nil
}

// enableStablePlans has a statement's plan be the same whatever its parameters are (SQLITE_DBCONFIG_ENABLE_QPSG). Without it SQLite
// prepares a statement anew before each run, for the plan may be another where a LIMIT is.
func enableStablePlans(c *sqlite3.Conn) error {
	_, err := c.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true)
	return err
}

// dataSourceName is the name under which the driver opens path. The journal gets the permissions of the database.
func dataSourceName(path, mode string, pragmas []string) string {
	q := url.Values{"mode": {mode}, "modeof": {path}, "_pragma": pragmas}.Encode()
	u := url.URL{Scheme: "file", Path: path, RawQuery: strings.ReplaceAll(q, "+", "%20")} // to SQLite a plus is a plus
	return u.String()
}

// restrictMode takes the database's files from everybody but their owner, whatever the umask was.
func restrictMode(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		err := os.Chmod(path+suffix, 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// statement prepares query, once for the life of the connection. Queries are constants, so that they are few.
func (c *connection) statement(query string) (*sql.Stmt, error) {
	if s := c.statements[query]; s != nil {
		return s, nil
	}
	s, err := c.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	c.statements[query] = s
	return s, nil
}

// exec runs statements that take no parameters.
func (c *connection) exec(ctx context.Context, statements string) error {
	_, err := c.conn.ExecContext(ctx, statements)
	return err
}

// inTransaction says whether a transaction is open. Some failures, a full disk among them, make SQLite roll back a
// whole transaction by itself.
func (c *connection) inTransaction() bool { return !c.raw.GetAutocommit() }

// rollback ends the open transaction, if there is one.
func (c *connection) rollback() error {
	if !c.inTransaction() {
		return nil
	}
	return c.exec(context.Background(), "ROLLBACK")
}

func (c *connection) close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	if c.conn != nil {
		errs = append(errs, c.conn.Close())
	}
	return errors.Join(append(errs, c.pool.Close())...)
}
