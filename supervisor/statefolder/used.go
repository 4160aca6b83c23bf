package statefolder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// HasEarlierFiles reports whether earlier starts left files besides the database. Such files are
// private files or homes in the state folder. An interrupted first start leaves none.
func HasEarlierFiles(state string) (bool, error) {
	private, err := readFolder(filepath.Join(state, "private"))
	if err != nil {
		return false, err
	}
	// the last two files are the result of trying a backup
	database := []string{"mews.db", "mews.db-journal", "mews.db-shm", "drill.json", "drill.json.part"}
	if info, err := os.Stat(filepath.Join(state, "private", "mews.db")); err == nil && info.Size() > 0 {
		// without a database, the journal is left over from an earlier database
		database = append(database, "mews.db-wal")
	}
	homes, err := readFolder(filepath.Join(state, "homes"))
	if errors.Is(err, fs.ErrPermission) {
		return true, nil
	}
	database = append(database, "update") // `mews update` works without a service
	used := slices.ContainsFunc(private, func(e fs.DirEntry) bool { return !slices.Contains(database, e.Name()) })
	return used || len(homes) > 0, err
}

// readFolder lists a folder. A missing folder counts as empty.
func readFolder(path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}
