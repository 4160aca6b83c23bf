package sqlite

import (
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"mews/supervisor"
)

// oldest is the first SQLite whose write-ahead log cannot be reset under a reader's feet; 3.7.0 to 3.51.2 could corrupt
// a database so. (sqlite.org/changes.html)
var oldest = [3]int{3, 51, 3}

// refuseOldSQLite refuses an SQLite library that could damage the database.
func (c *connection) refuseOldSQLite(ctx context.Context) error {
	var version string
	if err := c.conn.QueryRowContext(ctx, "SELECT sqlite_version()").Scan(&version); err != nil {
		return err
	}
	return checkVersion(version)
}

func checkVersion(version string) error {
	have, err := parseVersion(version)
	if err != nil {
		return err
	}
	for i := range oldest {
		if have[i] > oldest[i] {
			return nil
		}
		if have[i] < oldest[i] {
			return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
				"This Mews was built with SQLite %s, which can damage a database; it must be %d.%d.%d or newer. Use a "+
					"build as it is released.", version, oldest[0], oldest[1], oldest[2])}
		}
	}
	return nil
}

// parseVersion reads "3.53.4". A fourth number is a patch of the third and does not count.
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

// refuseNewer refuses a database whose schema this program does not know.
func (c *connection) refuseNewer(ctx context.Context, files fs.FS) error {
	names, have, err := c.versions(ctx, files)
	if err != nil || have <= int64(len(names)) {
		return err
	}
	return &supervisor.Error{Code: supervisor.CodeInvalid, Message: fmt.Sprintf(
		"The database was last used by a newer Mews: its schema is %d, and this version knows %d. Run the newer "+
			"version again, or restore the backup from before the update.", have, len(names))}
}

const countObjects = `SELECT count(*) FROM sqlite_schema`

// refuseForeign refuses a database that another program made.
func (c *connection) refuseForeign(ctx context.Context) error {
	id, err := c.pragma(ctx, "application_id")
	if err != nil || id == applicationID {
		return err
	}
	var objects int64
	if err := c.conn.QueryRowContext(ctx, countObjects).Scan(&objects); err != nil {
		return err
	}
	if objects > 0 {
		return &supervisor.Error{Code: supervisor.CodeInvalid, Message: "The file is a database of another program, " +
			"not of Mews. Set `state` to a folder of Mews's own."}
	}
	return nil
}
