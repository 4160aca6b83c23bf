// Package enginetest checks the statements that a package's tests prepare, so that nobody has to
// list them by hand.
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

// Statement is a statement that SQLite can prepare.
type Statement struct {
	Name string // name of the statement's constant; "" means none
	Text string
	Plan []string // steps of SQLite's plan
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
	importPath  string   // import path of the package
	helperFiles []string // files of the package that only run statements of other files

	mu    sync.Mutex // guards the following fields
	plans map[string][]string
	err   error // the first error
}

// record is the value of engine.PrepareHook.
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

// isOwn reports whether the statement that is being prepared comes from the package. The first
// function on the stack that does not only pass it on must be in a file of the package. Statements
// of tests and of the engine itself do not count.
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
		if of == enginePackage || of == ownPackage || of == r.importPath && slices.Contains(r.helperFiles, file) {
			continue
		}
		return of == r.importPath && !strings.HasSuffix(file, "_test.go")
	}
	return false
}

// ofEngine matches the engine's functions that run its own statements.
var ofEngine = regexp.MustCompile(`^mews/supervisor/internal/engine\.(Open|\(\*DB\)\.Run)\b`)

// Functions between the caller's statement and the top of the stack.
const (
	enginePackage = "mews/supervisor/internal/engine"
	ownPackage    = enginePackage + "/enginetest"
)

// packageOf returns the package of a function, from the name in the runtime.
func packageOf(function string) string {
	at := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[at:], ".")
	return function[:at] + name
}

// statements lists the recorded statements and the constants that were not recorded. db plans the
// latter; without a db they have no plan.
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
