package files

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds of a glob of a model. The cost of a match grows with the number of braces.
const (
	maxGlob   = 256 // most bytes of a glob
	maxBraces = 4
)

// glob is a pattern for files. A pattern without a slash is compared with the last name of a path.
// A pattern with a slash is compared with the whole path, from the workspace or from the listed
// folder. The zero value matches everything.
type glob struct {
	pattern string
	from    string // folder to which a pattern with a slash is relative
}

func newGlob(pattern, from string) (glob, error) {
	if len(pattern) > maxGlob || strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return glob{}, fmt.Errorf("%q is not a pattern that can be used; one is like *.md or notes/**/*.txt", pattern)
	}
	return glob{pattern: strings.TrimPrefix(strings.TrimLeft(pattern, "/"), "./"), from: from}, nil
}

// hasFolders reports whether the pattern has a slash.
func (g glob) hasFolders() bool { return strings.Contains(g.pattern, "/") }

func (g glob) match(name string) bool {
	switch {
	case g.pattern == "":
		return true
	case !g.hasFolders():
		return doublestar.MatchUnvalidated(g.pattern, path.Base(name))
	}
	return doublestar.MatchUnvalidated(g.pattern, name) ||
		doublestar.MatchUnvalidated(g.pattern, strings.TrimPrefix(name, g.from+"/"))
}
