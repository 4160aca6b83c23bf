package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
)

// pragmas lists the settings of every new connection, in this order. The first read of an exclusive
// connection locks the file until the connection is closed. Then SQLite keeps the index of its
// journal in memory, and takes no lock for each statement.
var pragmas = []string{
	"locking_mode(exclusive)",
	"journal_mode(wal)",
	"synchronous(full)",
	"foreign_keys(on)",
	"mmap_size(0)", // the file is not mapped into memory, where a stray write could damage it
	"cell_size_check(on)",
	"trusted_schema(off)",
	"temp_store(memory)", // temporary data stays in memory, since users' words must not be in /tmp
	// deleted data is overwritten everywhere; "fast" would leave it on free pages
	"secure_delete(on)",
	"journal_size_limit(16777216)",
	"cache_size(-1024)", // the cache has one MiB; a negative number counts KiB
}

// connection is the database's connection with its prepared statements. One goroutine at a time may
// use it.
type connection struct {
	raw        *sqlite3.Conn            // SQLite's connection; nil after closing
	statements map[string]*sqlite3.Stmt // prepared statements, by their text

	onStatement func() // called before each run of a statement; see Options.OnStatement
}

// connect opens the connection to an existing file. It fails with ProblemFileLocked if another
// program has the file open for all of Options.BusyTimeout.
func connect(ctx context.Context, path string, o Options) (*connection, error) {
	raw, err := sqlite3.OpenContext(ctx, fileURI(path, url.Values{"mode": {"rw"}, "modeof": {path}, "vfs": {o.VFS}}))
	if err != nil {
		return nil, err
	}
	c := &connection{raw: raw, statements: map[string]*sqlite3.Stmt{}, onStatement: o.OnStatement}
	// With this setting the plan of a statement does not depend on its parameters. Otherwise SQLite
	// would prepare a statement with a LIMIT before each run.
	if _, err = raw.Config(sqlite3.DBCONFIG_ENABLE_QPSG, true); err == nil {
		patience := cmp.Or(o.BusyTimeout, 5*time.Second)
		err = c.exec(fmt.Sprintf("PRAGMA busy_timeout(%d); PRAGMA %s",
			patience.Milliseconds(), strings.Join(pragmas, "; PRAGMA ")))
	}
	if err == nil && o.Rebuildable {
		err = c.exec("PRAGMA synchronous(normal)")
	}
	if err == nil {
		err = o.Extend(raw)
	}
	if err == nil {
		_, err = c.pragma("user_version") // the first read makes SQLite create the journal
	}
	if err == nil {
		err = restrictMode(path)
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// fileURI returns the URI under which SQLite opens path. With the parameter modeof the journal gets
// the permissions of the database.
func fileURI(path string, parameters url.Values) string {
	// SQLite does not read a plus sign as a space
	query := strings.ReplaceAll(parameters.Encode(), "+", "%20")
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query}).String()
}

// restrictMode makes the database's files readable and writable only for their owner. The umask
// does not matter.
func restrictMode(path string) error {
	for _, suffix := range []string{"", "-wal"} {
		err := os.Chmod(path+suffix, 0o600)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// statement returns the prepared statement of a query. Each query is prepared once for the life of
// the connection. Queries are constants, so there are few.
func (c *connection) statement(query string) (*sqlite3.Stmt, error) {
	if s := c.statements[query]; s != nil {
		return s, nil
	}
	if c.raw == nil {
		return nil, ErrClosed
	}
	s, tail, err := c.raw.PrepareFlags(query, sqlite3.PREPARE_PERSISTENT)
	if err != nil {
		return nil, fmt.Errorf("prepare %q: %w", query, err)
	}
	if s == nil || strings.TrimSpace(tail) != "" {
		return nil, fmt.Errorf("prepare %q: it is not one statement", query)
	}
	c.statements[query] = s
	if OnPrepareStatement != nil {
		OnPrepareStatement(query, func() ([]string, error) { return c.plan(query) })
	}
	return s, nil
}

// run runs a statement, and calls each for each row until each returns false.
func (c *connection) run(each func(*Row) (more bool), query string, args []any) error {
	s, err := c.statement(query)
	if err != nil {
		return err
	}
	if err := bind(s, args); err != nil {
		return errors.Join(fmt.Errorf("%q: %w", query, err), s.ClearBindings())
	}
	if c.onStatement != nil {
		c.onStatement()
	}
	row := Row{stmt: s}
	for s.Step() && each != nil && each(&row) && row.err == nil {
	}
	err = row.err
	if failed := s.Reset(); failed != nil {
		err = failed
	}
	if failed := s.ClearBindings(); failed != nil && err == nil {
		err = failed
	}
	return err
}

// exec runs statements without parameters.
func (c *connection) exec(statements string) error {
	if c.raw == nil {
		return ErrClosed
	}
	return c.raw.Exec(statements)
}

// pragma returns the value of a pragma that is a number.
func (c *connection) pragma(name string) (n int64, err error) {
	err = c.run(func(r *Row) bool { r.Scan(&n); return false }, "PRAGMA "+name, nil)
	return n, err
}

// inTransaction reports whether a transaction is open. After some failures, such as a full disk,
// SQLite itself rolls back the transaction.
func (c *connection) inTransaction() bool { return c.raw != nil && !c.raw.GetAutocommit() }

// rollback ends the open transaction, if there is one.
func (c *connection) rollback() error {
	if !c.inTransaction() {
		return nil
	}
	return c.exec("ROLLBACK")
}

// close closes the connection; a second call changes nothing.
func (c *connection) close() error {
	var errs []error
	for _, s := range c.statements {
		errs = append(errs, s.Close())
	}
	clear(c.statements)
	errs = append(errs, c.raw.Close())
	c.raw = nil
	return errors.Join(errs...)
}
