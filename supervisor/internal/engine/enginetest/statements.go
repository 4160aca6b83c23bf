// Package enginetest looks at the statements that a package has the engine prepare while its tests
// run, so that no list of them is kept by hand.
package enginetest

import (
	"fmt"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"mews/supervisor/internal/engine"
)

// Statement is one that SQLite can prepare.
type Statement struct {
	Name string // of the constant that it is; "" is none
	Text string
	Plan []string // how SQLite runs it, step by step
}

// String names the statement in a failure.
func (s Statement) String() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprintf("%q", s.Text)
}

// recorder records the statements of one package.
type recorder struct {
	of      string   // the package's path
	passing []string // its files that run the statements of its other files

	mu    sync.Mutex // guards what follows
	plans map[string][]string
	err   error // the first
}

// record is engine.Prepared.
func (r *recorder) record(query string, plan func() ([]string, error)) {
	if !r.isOwn() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, seen := r.plans[query]; seen || r.err != nil {
		return
	}
	r.plans[query], r.err = plan()
}

// isOwn says whether a file of the package has given the engine the statement that it prepares just
// now: whether the first function on the stack is of one that does not only pass it on. What tests
// give is not the package's, nor is what the engine needs for itself.
func (r *recorder) isOwn() bool {
	stack := make([]uintptr, 32)
	frames := runtime.CallersFrames(stack[:runtime.Callers(2, stack)])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		of, file := packageOf(frame.Function), path.Base(frame.File)
		if ofEngine.MatchString(frame.Function) {
			return false
		}
		if of == enginePackage || of == ownPackage || of == r.of && slices.Contains(r.passing, file) {
			continue
		}
		return of == r.of && !strings.HasSuffix(file, "_test.go")
	}
	return false
}

// ofEngine are the functions of the engine in which it runs what it needs for itself.
var ofEngine = regexp.MustCompile(`^mews/supervisor/internal/engine\.(Open|\(\*DB\)\.Run)\b`)

// What stands on the stack above whoever gives a statement.
const (
	enginePackage = "mews/supervisor/internal/engine"
	ownPackage    = enginePackage + "/enginetest"
)

// packageOf is the package of a function, by the name that the runtime gives that.
func packageOf(function string) string {
	at := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[at:], ".")
	return function[:at] + name
}

// statements lists what was recorded, and what of a package's constants was not, as db plans that;
// without a db those have no plan.
func (r *recorder) statements(constants []constant, db *engine.DB) (list []Statement, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := map[string]string{}
	for _, c := range constants {
		names[c.text] = c.name
		if _, recorded := r.plans[c.text]; recorded || !c.whole || r.err != nil {
			continue
		}
		if r.plans[c.text] = nil; db != nil {
			r.plans[c.text], r.err = db.Plan(c.text)
		}
	}
	for text, plan := range r.plans {
		list = append(list, Statement{names[text], text, plan})
	}
	slices.SortFunc(list, func(a, b Statement) int { return strings.Compare(a.String(), b.String()) })
	return list, r.err
}
