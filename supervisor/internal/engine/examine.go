package engine

import (
	"context"
	"errors"
	"net/url"
	"os"

	"github.com/ncruces/go-sqlite3"
)

// Examination is the result of Examine for a sound database.
type Examination struct {
	Schema int64 // number of the database's last migration
	Newest int64 // number of the newest migration that this program has
	Bytes  int64
}

// Examine reads all of a database that no program has open. It changes no file. It returns the same
// errors as Open. It finds more damage, because it reads every row and index.
func Examine(ctx context.Context, path string, o Options) (e Examination, err error) {
	if err := refuseEmpty(path); err != nil {
		return e, err
	}
	c, err := openUnchanged(ctx, path, o)
	if err != nil {
		return e, err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	for _, fault := range []func() error{
		c.refuseForeign, func() error { return c.refuseUnused(path) },
		func() error { return c.verdict(`PRAGMA integrity_check(1)`) }, c.checkForeignKeys,
		func() error { return c.refuseNewer(o.Migrations) },
	} {
		if err := fault(); err != nil {
			return e, err
		}
	}
	const size = `SELECT p.page_count * s.page_size FROM pragma_page_count p, pragma_page_size s`
	if e.Bytes, err = FirstValue(&Tx{conn: c}, ScanInteger, size); err != nil {
		return e, err
	}
	names, have, err := c.versions(o.Migrations)
	if err != nil {
		return e, err
	}
	e.Schema, e.Newest = have, int64(len(names))
	return e, c.refuseDifferences(o)
}

// openUnchanged opens a database for reading, and changes none of its files. It reads the journal
// that a killed program has left, but does not empty the journal. The disk may be read-only.
func openUnchanged(ctx context.Context, path string, o Options) (*connection, error) {
	journal, err := os.Stat(path + "-wal")
	if err != nil || journal.Size() == 0 {
		return openReader(ctx, path, o, url.Values{"mode": {"ro"}, "immutable": {"1"}})
	}
	c, err := openReader(ctx, path, o, url.Values{"mode": {"rw"}, "vfs": {readerVFSName}})
	if err != nil {
		return nil, err
	}
	if _, err = c.raw.Config(sqlite3.DBCONFIG_NO_CKPT_ON_CLOSE, true); err == nil {
		err = c.exec("PRAGMA busy_timeout(1000); PRAGMA locking_mode(exclusive); PRAGMA query_only(on)")
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}
