// Package check makes the checks of a job: whether files in a home are new, changed or gone, or how
// a command ends.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"mews/protocol"
	"mews/worker/workspace"
)

// manifest describes the files of one check: size and time of the last change in nanoseconds, by
// path.
type manifest map[string][2]int64

// Home is the part of a user's folder that checks use.
type Home interface {
	// Walk visits everything below a folder until ctx ends.
	Walk(ctx context.Context, dir string, visit func(workspace.Entry) error) error
}

var errTooLong = fmt.Errorf("the look took longer than %d s", protocol.MaxCheckSeconds)

// CompareFiles compares the files that match a pattern with those of the previous check. The first
// check only records the files. A check may take as long as a command.
func CompareFiles(ctx context.Context, home Home, p protocol.CheckParameters) (r protocol.CheckResult, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, protocol.MaxCheckSeconds*time.Second, errTooLong)
	defer cancel()
	now, err := list(ctx, home, p.Files)
	if err != nil {
		return r, err
	}
	seen, err := json.Marshal(now)
	if err != nil {
		return r, err
	}
	if len(seen) > protocol.MaxCheckStateBytes {
		return r, fmt.Errorf("%q has %d files with long names: more than can be watched", p.Files, len(now))
	}
	r.Seen = string(seen)
	if p.Seen == "" { // the first check has nothing to compare
		return r, nil
	}
	var before manifest
	if err := json.Unmarshal([]byte(p.Seen), &before); err != nil {
		return r, fmt.Errorf("read what was seen last: %w", err)
	}
	var found strings.Builder
	for _, kind := range []string{"new", "changed", "gone"} {
		names := changes[kind](before, now)
		if len(names) == 0 || len(p.Changes) > 0 && !slices.Contains(p.Changes, kind) {
			continue
		}
		r.Met, r.Changed = true, true
		for _, name := range names[:min(len(names), protocol.MaxCheckChangeNames)] {
			fmt.Fprintf(&found, "%s: %s\n", kind, clip(name, maxName))
		}
		if more := len(names) - protocol.MaxCheckChangeNames; more > 0 {
			fmt.Fprintf(&found, "and %d more are %s\n", more, kind)
		}
	}
	r.Found = clip(strings.TrimSpace(found.String()), protocol.MaxCheckFoundBytes)
	return r, nil
}

// maxName bounds a name in a result, in bytes. A result has room for 60 such names.
const maxName = 60

// changes has a function for each kind of change, by its word. The function returns the sorted
// names of the files with such a change.
var changes = map[string]func(before, now manifest) []string{
	"new":  func(before, now manifest) []string { return without(now, before) },
	"gone": func(before, now manifest) []string { return without(before, now) },
	"changed": func(before, now manifest) (names []string) {
		for name, is := range now {
			if was, there := before[name]; there && was != is {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	},
}

// without returns the sorted names in a that are not in b.
func without(a, b manifest) (names []string) {
	for name := range a {
		if _, there := b[name]; !there {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// list lists the files that match a pattern.
func list(ctx context.Context, home Home, pattern string) (manifest, error) {
	pattern = strings.TrimPrefix(pattern, "./")
	if strings.Count(pattern, "{") > maxBraces || !doublestar.ValidatePattern(pattern) {
		return nil, fmt.Errorf("%q is no pattern that can be read; a pattern is such as notes/**/*.md", pattern)
	}
	base, _ := doublestar.SplitPattern(pattern)
	m := manifest{}
	err := home.Walk(ctx, base, func(e workspace.Entry) error {
		switch {
		case e.Err != nil:
			return e.Err
		case !e.Info.Mode().IsRegular() || !doublestar.MatchUnvalidated(pattern, e.Path):
			return nil
		case len(m) >= protocol.MaxCheckFiles:
			return fmt.Errorf("%q has more than %d files, which is as many as can be watched", pattern, protocol.MaxCheckFiles)
		}
		m[e.Path] = [2]int64{e.Info.Size(), e.Info.ModTime().UnixNano()}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // the pattern's folder does not exist yet
		return manifest{}, nil
	}
	return m, err
}

// maxBraces bounds the patterns that one pattern with braces expands to.
const maxBraces = 8

// clip returns the beginning of a text, at most that many bytes of valid UTF-8.
func clip(text string, most int) string {
	if len(text) > most {
		text = text[:most]
	}
	return strings.ToValidUTF8(text, "")
}
