package sqlite

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// applicationID marks a database file as ours, in its header: "MEWS".
const applicationID = 0x4d455753

// migrations are numbered without a gap from 0001 on; a file's number is the schema version that it leads to. Once
// released a file is never changed: what differs is a new file.
//
//go:embed migration/*.sql
var migrations embed.FS

// migrate runs the migrations that the database has not had, each in a transaction of its own.
func (c *connection) migrate(ctx context.Context, files fs.FS) error {
	names, have, err := c.versions(ctx, files)
	if err != nil {
		return err
	}
	for i, name := range names {
		if number(name) != i+1 {
			return fmt.Errorf("migration %s: its number is not %d", name, i+1)
		}
		if int64(i) < have {
			continue
		}
		if err := c.apply(ctx, files, name); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
	}
	return nil
}

// versions lists the migrations in their order, and says how many of them the database has had.
func (c *connection) versions(ctx context.Context, files fs.FS) (names []string, have int64, err error) {
	names, err = fs.Glob(files, "migration/*.sql") // sorted
	if err != nil {
		return nil, 0, err
	}
	have, err = c.pragma(ctx, "user_version")
	return names, have, err
}

// number is the number that a migration's file name begins with, 0 if it begins with none.
func number(name string) int {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// apply runs one migration. The mark of a proper close goes with the first change of a run, and this is one.
func (c *connection) apply(ctx context.Context, files fs.FS, name string) (err error) {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = joinErrors(err, c.rollback())
		}
	}()
	if err := c.exec(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	end := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", unmarkClean, applicationID,
		number(name))
	for _, statements := range []string{string(body), end, "COMMIT"} {
		if err := c.exec(ctx, statements); err != nil {
			return err
		}
	}
	return nil
}

// pragma reads a pragma that is a number.
func (c *connection) pragma(ctx context.Context, name string) (n int64, err error) {
	err = c.conn.QueryRowContext(ctx, "PRAGMA "+name).Scan(&n)
	return n, err
}
