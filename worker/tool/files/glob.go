package files

import (
	"fmt"
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Globs come from a model: what one costs to match grows with the braces in it.
const (
	maxGlob   = 256 // bytes
	maxBraces = 4
)

// glob is a pattern for files. One without a slash is about the last name of a path, as people mean it; one with a
// slash is about the whole path, from the workspace or from the folder that is looked into. The zero value matches
// all.
type glob struct {
	pattern string
	from    string // the folder that is looked into
}

func newGlob(pattern, from string) (glob, error) {
	if len(pattern) > maxGlob || strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return glob{}, fmt.Errorf("%q is not a pattern that can be used; one is like *.md or notes/**/*.txt", pattern)
	}
	return glob{pattern: strings.TrimPrefix(strings.TrimLeft(pattern, "/"), "./"), from: from}, nil
}

// deep reports that the pattern is about more than one folder.
func (g glob) deep() bool { return strings.Contains(g.pattern, "/") }

func (g glob) match(name string) bool {
	switch {
	case g.pattern == "":
		return true
	case !g.deep():
		return doublestar.MatchUnvalidated(g.pattern, path.Base(name))
	}
	return doublestar.MatchUnvalidated(g.pattern, name) ||
		doublestar.MatchUnvalidated(g.pattern, strings.TrimPrefix(name, g.from+"/"))
}
