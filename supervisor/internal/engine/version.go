package engine

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// oldestSQLite is the oldest good SQLite. Versions 3.7.0 to 3.51.2 could damage a database: they
// could reset its journal while a reader used the journal. (sqlite.org/changes.html)
var oldestSQLite = [3]int{3, 51, 3}

// prepare refuses an unusable database, runs missing migrations, and checks for damage if that is
// due. A check is due after an improper close, or a week after the last check. The check of a large
// database is postponed; late is true then.
func (c *connection) prepare(path string, o Options) (late bool, err error) {
	if err := c.refuseUnusable(path, o); err != nil {
		return false, err
	}
	clean, err := c.wasClean()
	if err != nil {
		return false, err
	}
	repair, err := c.compare(o)
	if err != nil {
		return false, err
	}
	if err := c.keepCopy(path, o); err != nil {
		return false, err
	}
	isNew, err := c.migrate(o.Migrations, o.NewSchema, repair)
	if err != nil {
		return false, err
	}
	if isNew {
		return false, c.keepChecked(o.Now())
	}
	due, err := c.checkIsDue(o.Now())
	if err != nil || clean && !due {
		return false, err
	}
	return c.check(path, o.Now())
}

// refuseUnusable refuses a database that this program may not use, and an SQLite with known
// defects.
func (c *connection) refuseUnusable(path string, o Options) error {
	var version string
	err := c.run(func(r *Row) bool { r.Scan(&version); return false }, `SELECT sqlite_version()`, nil)
	if err == nil {
		err = checkVersion(version)
	}
	if err == nil {
		err = c.refuseForeign()
	}
	if err == nil {
		err = c.refuseNewer(o.Migrations)
	}
	if err == nil && o.RefuseOlder {
		err = c.refuseOlder(o.Migrations)
	}
	if err == nil && o.MustExist {
		err = c.refuseUnused(path)
	}
	return err
}

// checkVersion refuses an SQLite library that could damage the database.
func checkVersion(version string) error {
	have, err := parseVersion(version)
	if err != nil {
		return err
	}
	for i := range oldestSQLite {
		if have[i] > oldestSQLite[i] {
			return nil
		}
		if have[i] < oldestSQLite[i] {
			return &Error{ProblemOldSQLite,
				[]any{version, fmt.Sprintf("%d.%d.%d", oldestSQLite[0], oldestSQLite[1], oldestSQLite[2])}}
		}
	}
	return nil
}

// parseVersion parses a version such as "3.53.4". A fourth number, for a patch, is ignored.
func parseVersion(version string) (v [3]int, err error) {
	fields := strings.Split(version, ".")
	if len(fields) < len(v) {
		return v, fmt.Errorf("read SQLite's version %q: want three numbers", version)
	}
	for i := range v {
		v[i], err = strconv.Atoi(fields[i])
		if err != nil {
			return v, fmt.Errorf("read SQLite's version %q: %w", version, err)
		}
	}
	return v, nil
}

// refuseNewer refuses a database whose schema is newer than this program.
func (c *connection) refuseNewer(migrations fs.FS) error {
	names, have, err := c.versions(migrations)
	if err == nil && have > int64(len(names)) {
		err = &Error{ProblemNewerSchema, []any{have, len(names)}}
	}
	return err
}

// refuseOlder refuses a database that needs migrations. A new database needs none.
func (c *connection) refuseOlder(migrations fs.FS) error {
	names, have, err := c.versions(migrations)
	if err == nil && have > 0 && have < int64(len(names)) {
		err = &Error{ProblemOlderSchema, []any{have, len(names)}}
	}
	return err
}

// refuseUnused refuses a database without a schema.
func (c *connection) refuseUnused(path string) error {
	version, err := c.pragma("user_version")
	if err == nil && version == 0 {
		err = &Error{ProblemDatabaseMissing, []any{path}}
	}
	return err
}

// refuseForeign refuses a database that another program made.
func (c *connection) refuseForeign() error {
	id, err := c.pragma("application_id")
	if err != nil || id == applicationID {
		return err
	}
	objects := 0
	err = c.run(func(r *Row) bool { r.Scan(&objects); return false }, `SELECT count(*) FROM sqlite_schema`, nil)
	if err == nil && objects > 0 {
		err = &Error{Problem: ProblemForeignDatabase}
	}
	return err
}
