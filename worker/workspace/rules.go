package workspace

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"mews/protocol"
)

// rules are a checked protocol.FilePolicy. A path in the trash has the rules of the path it had
// before. Include applies to files only, because a folder that does not match may hold files that
// do. Exclude and AppendOnly apply to a folder and all that is in it.
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

// empty reports that everything is allowed.
func (r rules) empty() bool { return len(r.include)+len(r.exclude)+len(r.appendOnly) == 0 }

// hidden reports that name is out of sight.
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

// isAppendOnly reports that name may be appended to but not changed otherwise.
func (r rules) isAppendOnly(name string) bool { return matchesPathOrParent(r.appendOnly, name) }

// matchesPathOrParent reports that a glob matches name or a folder it is in.
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
