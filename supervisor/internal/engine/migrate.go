package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// applicationID is the number in the file's header that marks a database of Mews: "MEWS".
const applicationID = 0x4d455753

// migrate runs the missing migrations, each in a transaction of its own. An empty database gets the
// statements of newSchema instead, which have the same result; "" means that it gets all migrations
// in one transaction. Foreign keys are off meanwhile. So a migration may rebuild a table that other
// tables refer to: create a new table, fill it, drop the old table, rename the new table. Before
// the commit every reference must be valid. The first transaction gives the database the schema
// repair before its migration; nil means none. isNew reports whether the database was empty.
func (c *connection) migrate(files fs.FS, newSchema string, repair schema) (isNew bool, err error) {
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
	}
	if have == 0 {
		if newSchema != "" {
			return true, c.inOneTransaction(func() error { return c.create(files, names, newSchema) })
		}
		return true, c.apply(files, names, 0, nil)
	}
	for i := int(have); i < len(names); i++ {
		if err := c.apply(files, names[:i+1], i, repair); err != nil {
			return false, err
		}
		repair = nil
	}
	return false, nil
}

// versions lists the migrations in order, and returns the number of migrations that the database
// has.
func (c *connection) versions(files fs.FS) (names []string, have int64, err error) {
	names, err = migrationNames(files)
	if err != nil {
		return nil, 0, err
	}
	have, err = c.pragma("user_version")
	return names, have, err
}

// migrationNames lists the migrations in order.
func migrationNames(files fs.FS) ([]string, error) { return fs.Glob(files, "migration/*.sql") } // sorted

// CountMigrations returns the version of the schema after all migrations.
func CountMigrations(files fs.FS) (int, error) {
	names, err := migrationNames(files)
	return len(names), err
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

// apply runs the migrations after the first applied ones, and stores their digests, in one
// transaction. A repair that is not nil comes before them. apply also deletes the mark of a proper
// close, as the first change of every run does.
func (c *connection) apply(files fs.FS, names []string, applied int, repair schema) error {
	return c.inOneTransaction(func() error {
		if repair != nil {
			if err := c.reshape(repair); err != nil {
				return fmt.Errorf("repair before migration %s: %w", names[applied], err)
			}
			if err := c.keepDigests(files, names[:applied]); err != nil {
				return err
			}
		}
		for _, name := range names[applied:] {
			body, err := fs.ReadFile(files, name)
			if err == nil {
				err = c.exec(string(body))
			}
			if err != nil {
				return fmt.Errorf("migration %s: %w", name, err)
			}
		}
		if err := c.recordVersion(files, names, applied); err != nil {
			return err
		}
		if err := c.checkForeignKeys(); err != nil {
			return fmt.Errorf("migration %s: %w", names[len(names)-1], err)
		}
		return nil
	})
}

// create gives an empty database the schema that all migrations make.
func (c *connection) create(files fs.FS, names []string, newSchema string) error {
	if err := c.exec(newSchema); err != nil {
		return fmt.Errorf("create the schema: %w", err)
	}
	return c.recordVersion(files, names, 0)
}

// recordVersion records that the database has had all these migrations. applied is the number of
// migrations that it had before.
func (c *connection) recordVersion(files fs.FS, names []string, applied int) error {
	err := c.exec(fmt.Sprintf("%s; PRAGMA application_id = %d; PRAGMA user_version = %d", unmarkClean, applicationID,
		len(names)))
	if err != nil {
		return err
	}
	return c.keepDigests(files, names[applied:])
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
