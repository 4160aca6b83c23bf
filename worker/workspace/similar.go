package workspace

import (
	"fmt"
	"io"
	"path"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Bounds of the search for a similar path.
const (
	maxSimilarNames = 50_000 // names of one folder that are compared
	maxSimilarPaths = 64     // paths that look the same during the search
)

// SimilarPath returns the path to use for a path that a model or a user wrote. Nobody sees whether
// a name has a no-break space, or an umlaut of one character or two. If there is no file at the
// path, SimilarPath looks for visible files and folders whose paths look the same. If it finds
// exactly one, it returns that path, and note names it. Otherwise it returns the path unchanged.
func (w *Workspace) SimilarPath(raw string) (taken, note string) {
	asked, err := clean(w.dir, raw)
	if err != nil {
		return raw, ""
	}
	if p, err := w.locate(raw, keepLink); err != nil || p.info != nil {
		return raw, ""
	}
	found := []string{"."}
	for part := range strings.SplitSeq(asked, "/") {
		var next []string
		for _, folder := range found {
			next = append(next, w.similarNames(folder, foldName(part))...)
		}
		if found = next; len(found) == 0 || len(found) > maxSimilarPaths {
			return raw, ""
		}
	}
	if len(found) != 1 {
		return raw, ""
	}
	return found[0], fmt.Sprintf(textSimilar, QuotePath(asked), QuotePath(found[0]))
}

// textSimilar names the path that the caller asked for, and the path that is used.
const textSimilar = "There is no %s. %s looks the same, so it was taken."

// similarNames returns the paths in a folder whose names look like a folded name.
func (w *Workspace) similarNames(folder, folded string) (paths []string) {
	p, err := w.findVisible(folder, followLinks)
	if err != nil || !p.info.IsDir() {
		return nil
	}
	dir, err := w.root.Open(p.name)
	if err != nil {
		return nil
	}
	defer dir.Close() // the folder was only read
	for read := 0; read < maxSimilarNames; {
		names, err := dir.Readdirnames(1000)
		for _, name := range names {
			if foldName(name) != folded {
				continue
			}
			if one := path.Join(folder, name); w.isVisible(one) {
				paths = append(paths, one)
			}
		}
		if read += len(names); err == io.EOF || err != nil || len(paths) > maxSimilarPaths {
			break
		}
	}
	return paths
}

func (w *Workspace) isVisible(name string) bool {
	_, err := w.findVisible(name, keepLink)
	return err == nil
}

// foldName returns a form of a name that is equal for all names that look the same. It has composed
// characters, and one kind of space.
func foldName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		return r
	}, norm.NFC.String(name))
}
