package diff

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Attributes that decide whether a file needs a review. (github-linguist's docs/overrides.md.)
const (
	linguistGenerated = "linguist-generated"
	linguistVendored  = "linguist-vendored"
)

// state says whether an attribute is set or unset for a file.
type state int

const (
	unspecified state = iota
	set
	unset
)

// attribute is an attribute with its state, as a line in .gitattributes sets it.
type attribute struct {
	name  string
	state state
}

// attributes has the lines of a .gitattributes file. (gitattributes(5).)
type attributes struct {
	rules  []rule
	macros map[string][]attribute
}

type rule struct {
	pattern string
	gives   []attribute
}

func attributesOf(text string) attributes {
	a := attributes{macros: map[string][]attribute{"binary": {{"diff", unset}, {"merge", unset}, {"text", unset}}}}
	for line := range strings.Lines(text) {
		pattern, rest := firstWord(strings.TrimSpace(line))
		if pattern == "" || strings.HasPrefix(pattern, "#") || strings.HasPrefix(pattern, "!") {
			continue
		}
		var gives []attribute
		for _, word := range strings.Fields(rest) {
			gives = append(gives, attributeOf(word))
		}
		if name, ok := strings.CutPrefix(pattern, "[attr]"); ok {
			a.macros[name] = gives
			continue
		}
		a.rules = append(a.rules, rule{pattern, gives})
	}
	return a
}

// firstWord splits a line into its pattern, which may be quoted, and the rest.
func firstWord(line string) (word, rest string) {
	if strings.HasPrefix(line, `"`) {
		for i := 1; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				return unquoted(line[:i+1]), line[i+1:]
			}
		}
	}
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i], line[i:]
	}
	return line, ""
}

// attributeOf parses name, -name, !name or name=value. As in linguist, name=true means name, and
// name=false means -name.
func attributeOf(word string) attribute {
	name, value, _ := strings.Cut(word, "=")
	switch {
	case strings.HasPrefix(name, "-"):
		return attribute{name[1:], unset}
	case strings.HasPrefix(name, "!"):
		return attribute{name[1:], unspecified}
	case value == "false" && strings.HasPrefix(name, "linguist-"):
		return attribute{name, unset}
	}
	return attribute{name, set}
}

// of returns the attributes of a path. The last matching line counts, and within a line the last
// word.
func (a attributes) of(path string) map[string]state {
	given := map[string]state{}
	for _, r := range slices.Backward(a.rules) {
		if matches(r.pattern, path) {
			a.give(given, r.gives)
		}
	}
	return given
}

func (a attributes) give(given map[string]state, gives []attribute) {
	for _, g := range slices.Backward(gives) {
		if _, ok := given[g.name]; ok {
			continue
		}
		given[g.name] = g.state
		if g.state == set {
			a.give(given, a.macros[g.name])
		}
	}
}

// braces escapes braces. They are special in the library's patterns, but not in git's.
var braces = strings.NewReplacer(`\\`, `\\`, `\{`, `\{`, `\}`, `\}`, `{`, `\{`, `}`, `\}`)

// matches reports whether a path matches a pattern. A pattern without a slash must match the last
// part of the path. A pattern for folders matches no file.
func matches(pattern, name string) bool {
	if strings.HasSuffix(pattern, "/") {
		return false
	}
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	pattern = strings.TrimPrefix(pattern, "/")
	if strings.HasSuffix(pattern, "/**") {
		pattern += "/*" // without this suffix, the library would also match the folder
	}
	return doublestar.MatchUnvalidated(braces.Replace(pattern), name)
}
