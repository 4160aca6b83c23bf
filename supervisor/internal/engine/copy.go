package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ncruces/go-sqlite3"
)

// partialSuffix ends the names of copies that are being written.
const partialSuffix = ".partial"

// savedInfix stands between the path of a database and a time, in the name of a saved copy. Such a
// copy has the data of a database whose file was replaced while it was open.
const savedInfix = ".saved-"

// MigrationCopyPath returns the path of the copy of a database from before a migration. schema is
// the version of the schema before the migration.
func MigrationCopyPath(path string, schema int64) string {
	return fmt.Sprintf("%s.schema%d", path, schema)
}

// ListMigrationCopies returns the kept copies of the database at path. It includes copies of a
// replaced database, and unfinished copies. An unfinished copy may also be the replacement of a
// removed file.
func ListMigrationCopies(path string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	var copies []string
	for _, e := range entries {
		base := filepath.Base(path)
		if strings.HasPrefix(e.Name(), base+".schema") || strings.HasPrefix(e.Name(), base+savedInfix) ||
			e.Name() == base+partialSuffix {
			copies = append(copies, filepath.Join(filepath.Dir(path), e.Name()))
		}
	}
	return copies, err
}

// IsPartialCopy reports whether a listed copy is unfinished. Its journal counts too.
func IsPartialCopy(path string) bool { return strings.Contains(filepath.Base(path), partialSuffix) }

// DeleteMigrationCopies deletes the kept copies of the database at path. It returns the number of
// deleted copies. After it returns a nil error, a loss of power does not bring a copy back.
func DeleteMigrationCopies(path string) (n int, err error) {
	copies, err := ListMigrationCopies(path)
	if err != nil || len(copies) == 0 {
		return 0, err
	}
	for _, c := range copies {
		if err := removeIfThere(c); err != nil {
			return n, err
		}
		n++
	}
	return n, syncDir(filepath.Dir(path))
}

// copySpare is the number of free bytes that a copy before a migration leaves to the migration.
const copySpare = 16 << 20

// keepCopy copies a database that needs migrations, before the first of them, if Options.KeepCopy
// is set.
func (c *connection) keepCopy(path string, o Options) error {
	names, have, err := c.versions(o.Migrations)
	if err != nil || !o.KeepCopy || have == 0 || have >= int64(len(names)) {
		return err
	}
	var needed int64
	const size = `SELECT (p.page_count - f.freelist_count) * s.page_size
		FROM pragma_page_count p, pragma_freelist_count f, pragma_page_size s`
	if err := c.run(func(r *Row) bool { r.Scan(&needed); return false }, size, nil); err != nil {
		return err
	}
	dir, needed := filepath.Dir(path), needed+copySpare
	disk, err := o.Filesystem(dir)
	if err != nil {
		return fmt.Errorf("ask how much room is in %s: %w", dir, err)
	}
	noRoom := &Error{ProblemNoRoomForCopy, []any{needed>>20 + 1, disk.Free >> 20, dir}}
	if disk.Free >= 0 && disk.Free < needed {
		return noRoom
	}
	if err = c.copyTo(MigrationCopyPath(path, have), o); errors.Is(err, sqlite3.FULL) {
		return errors.Join(noRoom, err)
	}
	return err
}

// copyTo writes a copy of the database to path. The copy gets that name once all of it is on the
// disk. It replaces an older copy.
func (c *connection) copyTo(path string, o Options) (err error) {
	partial := path + partialSuffix
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("copy the database to %s: %w", path, err), removeIfThere(partial))
		}
	}()
	if err := removeIfThere(partial); err != nil {
		return err
	}
	file, err := os.OpenFile(partial, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	if err := c.exec("VACUUM INTO '" + strings.ReplaceAll(partial, "'", "''") + "'"); err != nil {
		return errors.Join(blameFullDisk(err, filepath.Dir(path), o.Filesystem), file.Close())
	}
	if err := errors.Join(file.Sync(), file.Close()); err != nil {
		return err
	}
	return errors.Join(os.Rename(partial, path), syncDir(filepath.Dir(path)))
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
