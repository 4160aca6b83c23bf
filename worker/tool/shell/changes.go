package shell

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/worker/workspace"
)

// maxNamed bounds the changed files that are named.
const maxNamed = 20

var errTooManyFiles = errors.New("too many files")

// pictureExtensions are the extensions of pictures that a model can view or send.
var pictureExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"}

// fileState tells whether a file has changed.
type fileState struct {
	size    int64
	changed time.Time
}

// snapshot holds the state of the workspace's files at one moment. err tells why some files are
// missing.
type snapshot struct {
	files map[string]fileState
	err   error
}

// takeSnapshot takes a snapshot of the workspace without the folder for temporary files.
func (e *environment) takeSnapshot(ctx context.Context) snapshot {
	seen := snapshot{files: map[string]fileState{}}
	entries, temp := 0, e.tempName()
	seen.err = e.ws.Walk(ctx, ".", func(entry workspace.Entry) error {
		if entries++; entries > e.options.limits.entries {
			return errTooManyFiles
		}
		if entry.Path == temp {
			return fs.SkipDir
		}
		if entry.Err == nil && entry.Info.Mode().IsRegular() {
			seen.files[entry.Path] = fileState{size: entry.Info.Size(), changed: entry.Info.ModTime()}
		}
		return nil
	})
	return seen
}

// fileChanges are the changes that a program made to the workspace's files.
type fileChanges struct {
	changes []protocol.Change // the first maxNamed changes
	more    int               // number of further changes
	unknown bool              // the folder holds too many files to compare
}

// compare lists the changes from one snapshot to the next, sorted by name.
func (s snapshot) compare(after snapshot) fileChanges {
	if s.err != nil || after.err != nil {
		return fileChanges{unknown: true}
	}
	var changes []protocol.Change
	for name, now := range after.files {
		if was, old := s.files[name]; !old || was != now {
			detail := "created, "
			if old {
				detail = "changed, "
			}
			changes = append(changes, protocol.Change{Kind: "write", Target: name, Detail: detail +
				amount.FormatBytes(now.size), Undo: workspace.RecordProgramChange(name,
				protocol.LargeFileState(now.size, now.changed))})
		}
	}
	for name := range s.files {
		if _, still := after.files[name]; !still {
			changes = append(changes, protocol.Change{Kind: "delete", Target: name, Detail: "gone",
				Undo: workspace.RecordProgramChange(name, protocol.FileStateAbsent)})
		}
	}
	slices.SortFunc(changes, func(a, b protocol.Change) int { return strings.Compare(a.Target, b.Target) })
	named := min(len(changes), maxNamed)
	return fileChanges{changes: changes[:named], more: len(changes) - named}
}

// head returns lines about the files, for the top of the output.
func (f fileChanges) head() string {
	if f.unknown {
		return "which files changed is not known: the folder holds too many\n"
	}
	var b strings.Builder
	for _, c := range f.changes {
		note := ""
		if c.Kind == "write" && slices.Contains(pictureExtensions, strings.ToLower(path.Ext(c.Target))) {
			note = ", a picture; send_file sends it"
		}
		fmt.Fprintf(&b, "%s: %s%s\n", workspace.QuotePath(c.Target), c.Detail, note)
	}
	if f.more > 0 {
		fmt.Fprintf(&b, "and %s more\n", amount.Plural(f.more, "file", "files"))
	}
	return b.String()
}

// brief returns a few words for the user. They follow the words about the program.
func (f fileChanges) brief() string {
	if n := len(f.changes) + f.more; n > 0 {
		return ", " + amount.Plural(n, "file changed", "files changed")
	}
	return ""
}
