package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mews/protocol"
)

// rules are a checked protocol.FilePolicy. A path in the trash has the rules of its former path.
// Include applies to files only, because a folder that does not match may hold matching files.
// Exclude and AppendOnly apply to a folder and everything in it.
type rules struct {
	include, exclude, appendOnly []string
}

func newRules(policy protocol.FilePolicy) (rules, error) {
	var r rules
	for _, list := range []struct {
		name string
		from []string
		to   *[]string
	}{
		{"include", policy.Include, &r.include},
		{"exclude", policy.Exclude, &r.exclude},
		{"append_only", policy.AppendOnly, &r.appendOnly},
	} {
		for _, glob := range list.from {
			if glob == "" || !doublestar.ValidatePattern(glob) {
				return rules{}, fmt.Errorf("%s: %q is not a valid pattern", list.name, glob)
			}
			*list.to = append(*list.to, path.Clean(strings.TrimLeft(glob, "/")))
		}
	}
	return r, nil
}

// empty reports whether the rules allow everything.
func (r rules) empty() bool { return len(r.include)+len(r.exclude)+len(r.appendOnly) == 0 }

// hidden reports whether the rules hide name.
func (r rules) hidden(name string, folder bool) bool {
	if r.empty() {
		return false
	}
	name = originalPath(name)
	if name == "." {
		return false
	}
	return matchesPathOrParent(r.exclude, name) || !folder && len(r.include) > 0 && !matches(r.include, name)
}

// isAppendOnly reports whether name may only be appended to.
func (r rules) isAppendOnly(name string) bool { return matchesPathOrParent(r.appendOnly, name) }

// matchesPathOrParent reports whether a glob matches name or a folder above it.
func matchesPathOrParent(globs []string, name string) bool {
	if len(globs) == 0 {
		return false
	}
	for ; name != "."; name = path.Dir(name) {
		if matches(globs, name) {
			return true
		}
	}
	return false
}

func matches(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(glob string) bool { return doublestar.MatchUnvalidated(glob, name) })
}
