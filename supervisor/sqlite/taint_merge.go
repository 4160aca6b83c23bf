package sqlite

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mews/supervisor/internal/engine"
	"mews/supervisor/taint"
)

const (
	countMarks  = `SELECT count(*) FROM marked_file WHERE user = ? AND ended = 0`
	deleteMarks = `DELETE FROM marked_file WHERE user = ?1 AND ended = 0 AND path >= ?2 || '/' AND path < ?2 || '0'`
	setMerged   = `UPDATE marked_file SET merged = 1 WHERE user = ?1 AND path = ?2`
)

// mergeMarks replaces the marks of files by marks of their folders while there are too many, the
// fullest folder first. So a flood of new files pushes out no mark of a file in another folder.
func (m marker) mergeMarks() {
	if value(m, engine.ScanInteger, countMarks, m.user) <= maxMarkedFiles {
		return
	}
	marks := map[string][]string{}
	for _, f := range m.markedFiles(m.user) {
		marks[f.Path] = f.Origins
	}
	for len(marks) > maxMarkedFiles {
		folder := fullestFolder(marks)
		if folder == "" {
			return
		}
		origins := marks[folder]
		for _, name := range slices.Sorted(maps.Keys(marks)) {
			if strings.HasPrefix(name, folder+"/") {
				origins = append(origins, marks[name]...)
				delete(marks, name)
			}
		}
		marks[folder] = taint.Union(origins)
		m.Exec(deleteMarks, m.user, folder)
		m.mark(folder, "", marks[folder])
		m.Exec(setMerged, m.user, folder)
	}
}

// fullestFolder returns the folder with the most marked files. Only if no folder has two, the
// folders above count too. "" means that no folder can stand for two marks.
func fullestFolder(marks map[string][]string) (fullest string) {
	inFolder, below := map[string]int{}, map[string]int{}
	for name := range marks {
		inFolder[path.Dir(name)]++
		for p := path.Dir(name); p != "."; p = path.Dir(p) {
			below[p]++
		}
	}
	for _, counts := range []map[string]int{inFolder, below} {
		delete(counts, ".")
		most := 1
		for _, p := range slices.Sorted(maps.Keys(counts)) {
			if counts[p] > most || counts[p] == most && most > 1 && len(p) > len(fullest) {
				fullest, most = p, counts[p]
			}
		}
		if fullest != "" {
			return fullest
		}
	}
	return ""
}
