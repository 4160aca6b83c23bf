package shell

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/filehistory"
	"mews/worker/workspace"
)

// maxNamed bounds the changed files that are named.
const maxNamed = 20

// pictureExtensions are the extensions of pictures that a model can view or send.
var pictureExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"}

// fileChanges are the changes that a program made to the workspace's files.
type fileChanges struct {
	named   []fileChange // at most maxNamed changes: first the deleted files, then the other files, both sorted by name
	more    int          // number of further files that were made or changed
	gone    int          // number of further files that were deleted
	unnamed []string     // paths of the further files that were made or changed, or of their folders
	// why is the reason why the changes are not known; "" means that they are
	why     string
	kept    keptChanges       // the changes in the file history
	earlier []protocol.Change // changes by terminals that ended before the program began
}

func (e *environment) changesBetween(before, after snapshot) (f fileChanges) {
	all, err := before.compare(after)
	switch {
	case errors.Is(err, errTooManyFiles):
		f.why = fmt.Sprintf("the folder holds more than %s", amount.FormatNumber(int64(e.options.limits.entries)))
	case errors.Is(err, filehistory.ErrManyFiles):
		f.why = filehistory.ErrManyFiles.Error()
	case err != nil:
		f.why = "the folder could not be read"
	}
	// deleted files first, because no other list names them
	slices.SortStableFunc(all, func(a, b fileChange) int { return rank(a) - rank(b) })
	named := min(len(all), maxNamed)
	f.named = all[:named]
	for _, c := range all[named:] {
		if c.gone {
			f.gone++
		} else {
			f.more++
			f.unnamed = append(f.unnamed, c.path)
		}
	}
	f.unnamed = coverPaths(f.unnamed)
	slices.SortFunc(f.named, func(a, b fileChange) int { return strings.Compare(a.path, b.path) })
	return f
}

// coverPaths returns at most protocol.MaxUnnamedPaths paths: those of some files, or of folders that
// contain them. Files that lie directly in the home are left out if there are too many.
func coverPaths(paths []string) []string {
	for {
		slices.Sort(paths)
		paths = slices.Compact(paths)
		deepest := 0
		for _, p := range paths {
			deepest = max(deepest, strings.Count(p, "/"))
		}
		if len(paths) <= protocol.MaxUnnamedPaths || deepest == 0 {
			return paths[:min(len(paths), protocol.MaxUnnamedPaths)]
		}
		for i, p := range paths {
			if strings.Count(p, "/") == deepest {
				paths[i] = path.Dir(p)
			}
		}
	}
}

// rank is lower for changes that are named first.
func rank(c fileChange) int {
	if c.gone {
		return 0
	}
	return 1
}

// ledger returns the changes for the ledger, as changes by a program.
func (f fileChanges) ledger() (changes []protocol.Change) {
	for _, c := range f.named {
		detail := textDeleted
		if !c.gone {
			detail = amount.FormatBytes(c.now.size)
		}
		changes = append(changes, protocol.Change{Kind: kindProgram, Target: c.path, Detail: detail,
			Undo: workspace.RecordProgramChange(c.path, c.after())})
	}
	return append(append(changes, f.rest()...), f.earlier...)
}

const (
	kindProgram = "program"
	textDeleted = "deleted"
)

// rest returns the ledger's changes without file names: the numbers of further files, and why
// changes are unknown.
func (f fileChanges) rest() (changes []protocol.Change) {
	if f.why != "" {
		changes = append(changes, protocol.Change{Kind: kindProgram, Target: ".", Detail: "which files is not known: " +
			f.why,
			Undo: workspace.RecordProgramChange(".", protocol.FileStateAbsent)})
	}
	for _, count := range []struct {
		n      int
		detail string
		paths  []string
	}{{f.more, "", f.unnamed}, {f.gone, textDeleted, nil}} {
		if count.n > 0 {
			changes = append(changes, protocol.Change{Kind: kindProgram, Target: amount.Plural(count.n, "more file",
				"more files"),
				Detail: count.detail, Unnamed: count.paths})
		}
	}
	return changes
}

// written returns the changes for the ledger, as changes by the file tools: write and delete.
func (f fileChanges) written() (changes []protocol.Change) {
	for _, c := range f.named {
		kind := "write"
		if c.gone {
			kind = "delete"
		}
		changes = append(changes, protocol.Change{Kind: kind, Target: c.path, Detail: c.words(),
			Undo: workspace.RecordProgramChange(c.path, c.after())})
	}
	return append(append(changes, f.rest()...), f.earlier...)
}

// words returns the change in a few words.
func (c fileChange) words() string {
	switch {
	case c.gone:
		return "gone"
	case c.was:
		return "changed, " + amount.FormatBytes(c.now.size)
	}
	return "created, " + amount.FormatBytes(c.now.size)
}

// head returns lines about the files, for the top of the output.
func (f fileChanges) head() string {
	if f.why != "" {
		return "which files changed is not known: the folder holds too many\n"
	}
	var b strings.Builder
	for _, c := range f.named {
		note := ""
		if !c.gone && slices.Contains(pictureExtensions, strings.ToLower(path.Ext(c.path))) {
			note = ", a picture; send_file sends it"
		}
		fmt.Fprintf(&b, "%s: %s%s\n", workspace.QuotePath(c.path), c.words(), note)
	}
	if more := f.more + f.gone; more > 0 {
		fmt.Fprintf(&b, "and %s more\n", amount.Plural(more, "file", "files"))
	}
	return b.String()
}

// brief returns a few words for the user. They follow the words about the program.
func (f fileChanges) brief() string {
	if n := len(f.named) + f.more + f.gone; n > 0 {
		return ", " + amount.Plural(n, "file changed", "files changed")
	}
	return ""
}
