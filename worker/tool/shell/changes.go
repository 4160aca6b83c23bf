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

	"mews/amount"
	"mews/protocol"
	"mews/worker/workspace"
)

// maxNamed is how many changed files are told by name.
const maxNamed = 20

var errTooMany = errors.New("too many files")

// pictures are the extensions of what can be looked at or sent as a picture.
var pictures = []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp", ".tif", ".tiff"}

// state of a file, as far as it shows a change.
type stamp struct {
	size    int64
	changed time.Time
}

// sight is what the workspace's files looked like at one moment. Its fault says why they are not all there.
type sight struct {
	files map[string]stamp
	fault error
}

// look takes a sight of the workspace.
func (w *workshop) look(ctx context.Context) sight {
	seen := sight{files: map[string]stamp{}}
	entries, passed := 0, w.temporary()
	seen.fault = w.ws.Walk(ctx, ".", func(e workspace.Entry) error {
		if entries++; entries > w.options.Limits.Entries {
			return errTooMany
		}
		if e.Path == passed {
			return fs.SkipDir
		}
		if e.Err == nil && e.Info.Mode().IsRegular() {
			seen.files[e.Path] = stamp{size: e.Info.Size(), changed: e.Info.ModTime()}
		}
		return nil
	})
	return seen
}

// found is what a program did to the files of the workspace.
type found struct {
	changes []protocol.Change // the first of them
	more    int               // how many there are beyond
	blind   bool              // the folder holds too much to be compared
}

// compare tells what has changed from one sight to the next, in the order of names.
func (s sight) compare(after sight) found {
	if s.fault != nil || after.fault != nil {
		return found{blind: true}
	}
	var changes []protocol.Change
	for name, now := range after.files {
		if was, old := s.files[name]; !old || was != now {
			detail := "created, "
			if old {
				detail = "changed, "
			}
			changes = append(changes, protocol.Change{Kind: "write", Target: name, Detail: detail + amount.Bytes(now.size)})
		}
	}
	for name := range s.files {
		if _, still := after.files[name]; !still {
			changes = append(changes, protocol.Change{Kind: "delete", Target: name, Detail: "gone"})
		}
	}
	slices.SortFunc(changes, func(a, b protocol.Change) int { return strings.Compare(a.Target, b.Target) })
	named := min(len(changes), maxNamed)
	return found{changes: changes[:named], more: len(changes) - named}
}

// head are the lines above the output that tell of the files.
func (f found) head() string {
	if f.blind {
		return "which files changed is not known: the folder holds too many\n"
	}
	var b strings.Builder
	for _, c := range f.changes {
		note := ""
		if c.Kind == "write" && slices.Contains(pictures, strings.ToLower(path.Ext(c.Target))) {
			note = ", a picture; send_file sends it"
		}
		fmt.Fprintf(&b, "%s: %s%s\n", workspace.Show(c.Target), c.Detail, note)
	}
	if f.more > 0 {
		fmt.Fprintf(&b, "and %s more\n", amount.Of(f.more, "file", "files"))
	}
	return b.String()
}

// brief is added to the outcome's.
func (f found) brief() string {
	if n := len(f.changes) + f.more; n > 0 {
		return ", " + amount.Of(n, "file changed", "files changed")
	}
	return ""
}
