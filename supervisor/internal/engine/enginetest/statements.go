// Package enginetest checks the SQL statements that a package's tests prepare. Nobody needs to list
// the statements by hand.
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
	Plan []string // steps of SQLite's query plan
}

// String returns the statement's name, or its text, for a failure message.
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
	err   error // first error of planning a statement
}

// record records a statement with its plan. It is set as engine.PrepareHook.
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

// isOwn reports whether the statement that is being prepared comes from the package. It skips the
// functions on the stack that only pass statements on. The next function must be in a file of the
// package, and not in a test or the engine.
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

// Packages whose functions are on the stack between the caller and the hook.
const (
	enginePackage = "mews/supervisor/internal/engine"
	ownPackage    = enginePackage + "/enginetest"
)

// packageOf returns the import path of a function, given its name in the runtime.
func packageOf(function string) string {
	at := strings.LastIndexByte(function, '/') + 1
	name, _, _ := strings.Cut(function[at:], ".")
	return function[:at] + name
}

// statements lists the recorded statements, and the constants that were not recorded. db plans
// these constants. Without a db they have no plan.
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
			r.plans[c.text], r.err = db.QueryPlan(c.text)
		}
	}
	for text, plan := range r.plans {
		list = append(list, Statement{names[text], text, plan})
	}
	slices.SortFunc(list, func(a, b Statement) int { return strings.Compare(a.String(), b.String()) })
	return list, r.err
}
