package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// applicationID marks a database file as one of Mews, in the file's header: "MEWS".
const applicationID = 0x4d455753

// migrate runs the missing migrations, each in a transaction of its own. Foreign keys are off
// meanwhile. So a migration may rebuild a table that other tables refer to: create a new table,
// fill it, drop the old table and rename the new table. Before the commit every reference must be
// valid.
func (c *connection) migrate(files fs.FS) (err error) {
	names, have, err := c.versions(files)
	if err != nil || have >= int64(len(names)) {
		return err
	}
	if err := c.exec("PRAGMA foreign_keys(off)"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.exec("PRAGMA foreign_keys(on)")) }()
	for i, name := range names {
		if migrationNumber(name) != i+1 {
			return fmt.Errorf("migration %s: its number is not %d", name, i+1)
		}
		if int64(i) < have {
			continue
		}
		if err := c.apply(files, name); err != nil {
			return errors.Join(fmt.Errorf("migration %s: %w", name, err), c.rollback())
		}
	}
	return nil
}

// versions lists the migrations in order, and returns the number of migrations that the database
// has.
func (c *connection) versions(files fs.FS) (names []string, have int64, err error) {
	names, err = fs.Glob(files, "migration/*.sql") // Glob returns sorted names
	if err != nil {
		return nil, 0, err
	}
	have, err = c.pragma("user_version")
	return names, have, err
}

// migrationNumber returns the number at the beginning of a migration's file name, or 0 without a
// number.
func migrationNumber(name string) int {
	digits, _, _ := strings.Cut(path.Base(name), "_")
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 0
	}
	return n
}

// apply runs one migration. It also deletes the mark of a proper close, since the first change of a
// run must do so.
func (c *connection) apply(files fs.FS, name string) error {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	end := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", unmarkClean, applicationID,
		migrationNumber(name))
	for _, statements := range []string{"BEGIN IMMEDIATE", string(body), end} {
		if err := c.exec(statements); err != nil {
			return err
		}
	}
	if err := c.checkForeignKeys(); err != nil {
		return err
	}
	return c.exec("COMMIT")
}

// checkForeignKeys fails if a row refers to a row that does not exist.
func (c *connection) checkForeignKeys() error {
	var table, parent string
	var row, key int64
	err := c.run(func(r *Row) bool { r.Scan(&table, &row, &parent, &key); return false }, "PRAGMA foreign_key_check", nil)
	if err == nil && table != "" {
		err = fmt.Errorf("row %d of %s names one of %s that is not there", row, table, parent)
	}
	return err
}
