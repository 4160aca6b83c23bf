package placement

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"mews/supervisor"
)

// checkHistoriesHidden refuses a folder of workers that contains file histories or is in one. It
// compares the folders themselves, because links and bind mounts give a folder several paths. Old
// histories count even if no history is kept now.
func (c *WorkerLocations) checkHistoriesHidden(users []supervisor.User) error {
	given := slices.Clone(c.ReadOnly)
	for _, u := range users {
		given = append(append(given, u.Home), u.Workspaces...)
	}
	for _, histories := range c.historyFolders() {
		kept, _ := filepath.Glob(filepath.Join(histories, "*"+HistorySuffix)) // the pattern is valid
		if len(kept) == 0 && !(c.History && histories == c.HistoryDir) {
			continue
		}
		around := foldersAbove(histories)
		var inside []os.FileInfo
		for _, path := range kept {
			if info, err := os.Stat(path); err == nil {
				inside = append(inside, info)
			}
		}
		for _, folder := range given {
			above := foldersAbove(folder)
			if len(above) > 0 && isOneOf(above[0], around) ||
				slices.ContainsFunc(above, func(f os.FileInfo) bool { return isOneOf(f, inside) }) {
				return fmt.Errorf(textHistoriesExposed, folder, histories)
			}
		}
	}
	return nil
}

// historyFolders returns the folders that may have file histories. They are the configured one, and
// that of homes, which is the default.
func (c *WorkerLocations) historyFolders() (list []string) {
	for _, folder := range []string{c.HistoryDir, filepath.Join(c.State, "homes")} {
		if folder != "" && !slices.Contains(list, folder) {
			list = append(list, folder)
		}
	}
	return list
}

// foldersAbove returns a folder and all folders above it, with links resolved. If the folder does
// not exist yet, the first element is nil, and the nearest existing folder above it follows.
func foldersAbove(path string) (list []os.FileInfo) {
	real, err := filepath.EvalSymlinks(path)
	for err != nil {
		if path == filepath.Dir(path) {
			return nil
		}
		path = filepath.Dir(path)
		if real, err = filepath.EvalSymlinks(path); err == nil {
			list = append(list, nil) // the missing folder itself
		}
	}
	for {
		if info, err := os.Stat(real); err == nil {
			list = append(list, info)
		}
		if real == filepath.Dir(real) {
			return list
		}
		real = filepath.Dir(real)
	}
}

func isOneOf(folder os.FileInfo, list []os.FileInfo) bool {
	return folder != nil && slices.ContainsFunc(list, func(f os.FileInfo) bool {
		return f != nil && os.SameFile(f, folder)
	})
}
