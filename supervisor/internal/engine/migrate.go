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
// meanwhile. So a migration may rebuild a table that others refer to: create another, fill it, drop
// the first, rename the new one. Before the commit every reference must be valid. The first
// transaction gives the database the schema repair before its migration; nil means none. isNew
// reports whether the database was empty.
func (c *connection) migrate(files fs.FS, repair schema) (isNew bool, err error) {
	names, have, err := c.versions(files)
	if err != nil || have >= int64(len(names)) {
		return false, err
	}
	if err := c.exec("PRAGMA foreign_keys(off)"); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, c.exec("PRAGMA foreign_keys(on)")) }()
	for i, name := range names {
		if migrationNumber(name) != i+1 {
			return false, fmt.Errorf("migration %s: its number is not %d", name, i+1)
		}
		if int64(i) < have {
			continue
		}
		if err := c.apply(files, names[:i+1], repair); err != nil {
			return false, fmt.Errorf("migration %s: %w", name, err)
		}
		repair = nil
	}
	return have == 0, nil
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

// apply runs the last of some migrations, after a repair if that is not nil, and stores its digest.
// It also deletes the mark of a proper close, as the first change of every run does.
func (c *connection) apply(files fs.FS, names []string, repair schema) error {
	earlier, name := names[:len(names)-1], names[len(names)-1]
	body, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	return c.inOneTransaction(func() error {
		if repair != nil {
			if err := c.reshape(repair); err != nil {
				return err
			}
			if err := c.keepDigests(files, earlier); err != nil {
				return err
			}
		}
		end := fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", unmarkClean, applicationID,
			migrationNumber(name))
		for _, statements := range []string{string(body), end} {
			if err := c.exec(statements); err != nil {
				return err
			}
		}
		if err := c.keepDigests(files, names[len(earlier):]); err != nil {
			return err
		}
		return c.checkForeignKeys()
	})
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
