package filehistory

import (
	"cmp"
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// maxFile is the size of the largest file whose bytes are kept.
const maxFile = 64 << 20

// leftOutFolders are names of folders whose contents programs can make again.
var leftOutFolders = map[string]bool{"node_modules": true, "__pycache__": true, ".venv": true}

// leftOut tells which files are listed without their bytes.
type leftOut struct {
	globs []string
	temp  string // path that no walk enters
	most  int    // most entries of a tree
}

func newLeftOut(o *Options) (*leftOut, error) {
	r := &leftOut{temp: o.Temp, most: cmp.Or(o.entries, maxEntries)}
	for _, glob := range o.Exclude {
		if glob == "" || !doublestar.ValidatePattern(glob) {
			return nil, fmt.Errorf("history.exclude: %q is not a valid pattern", glob)
		}
		r.globs = append(r.globs, path.Clean(strings.TrimLeft(glob, "/")))
	}
	return r, nil
}

// reasonFor returns why the bytes of a path are not kept; pending means that they are kept. above
// is the reason of its folder. A folder's reason applies to everything in it.
func (r *leftOut) reasonFor(full, name string, e *entry, above reason) reason {
	switch {
	case above != pending:
		return above
	case e.kind == special:
		return isSpecial
	case e.kind == directory && leftOutFolders[name]:
		return leftOutByName
	case e.kind == file && e.size > maxFile:
		return tooLarge
	}
	for _, glob := range r.globs {
		if doublestar.MatchUnvalidated(glob, full) {
			return isExcluded
		}
	}
	return pending
}

// reasonBelow returns the reason for everything below a folder.
func (h *home) reasonBelow(name string, r *leftOut) reason {
	if name == "." {
		return pending
	}
	at, why := ".", pending
	for part := range strings.SplitSeq(name, "/") {
		if dir, err := h.openFolder(at); err == nil {
			if why == pending && isCacheFolder(int(dir.Fd())) {
				why = isCache
			}
			dir.Close()
		}
		at = path.Join(at, part)
		why = r.reasonFor(at, part, &entry{kind: directory}, why)
	}
	return why
}
