package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// applicationID marks a database file as ours, in its header: "MEWS".
const applicationID = 0x4d455753

// migrate runs the migrations that the database has not had, each in a transaction of its own.
// Foreign keys are not looked at within it, so that it may rebuild a table that others name: make
// another, fill it, drop the first, rename the other to its name. Before it is committed each row's
// must be there.
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
		if number(name) != i+1 {
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

// versions lists the migrations in their order, and says how many of them the database has had.
func (c *connection) versions(files fs.FS) (names []string, have int64, err error) {
	names, err = fs.Glob(files, "migration/*.sql") // sorted
	if err != nil {
		return nil, 0, err
	}
	have, err = c.pragma("user_version")
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

// apply runs one migration. The mark of a proper close goes with the first change of a run, and
// this is one.
func (c *connection) apply(files fs.FS, name string) error {
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	end := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", unmarkClean, applicationID,
		number(name))
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

// checkForeignKeys fails where a row names one that is not there.
func (c *connection) checkForeignKeys() error {
	var table, parent string
	var row, key int64
	err := c.run(func(r *Row) bool { r.Scan(&table, &row, &parent, &key); return false }, "PRAGMA foreign_key_check", nil)
	if err == nil && table != "" {
		err = fmt.Errorf("row %d of %s names one of %s that is not there", row, table, parent)
	}
	return err
}
