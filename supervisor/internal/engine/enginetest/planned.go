package enginetest

import (
	"flag"
	"fmt"
	"os"

	"mews/supervisor/internal/engine"
)

// Runner runs the tests of a package, as a testing.M does.
type Runner interface{ Run() (code int) }

// Options are about a package with statements. Its tests run in its folder.
type Options struct {
	Package string   // its path
	Passing []string // its files that run the statements of its other files
	// Open opens an empty database and gives it to use, which plans what no test of the package has
	// run; nil leaves that without a plan.
	Open func(use func(*engine.DB)) error
	// Fault is what is wrong with a statement; "" is nothing.
	Fault func(Statement) string
	Least int // how many statements are recorded at least where all tests run
}

// Planned runs the tests of a package, and after that looks at its statements: at all that was
// prepared while they ran, and at those constants that they have not run. It is a Runner.
func Planned(tests Runner, o Options) Runner { return planned{tests, o} }

type planned struct {
	tests Runner
	o     Options
}

// Run is a Runner's.
func (p planned) Run() (code int) {
	r := &recorder{of: p.o.Package, passing: p.o.Passing, plans: map[string][]string{}}
	engine.Prepared = r.record
	code = p.tests.Run()
	engine.Prepared = nil
	ran := len(r.plans)
	list, err := p.list(r)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plan the statements:", err)
		return 1
	}
	if ran < p.o.Least && runsAll() {
		fmt.Fprintf(os.Stderr, "only %d statements were recorded\n", ran)
		code = 1
	}
	for _, s := range list {
		if fault := p.o.Fault(s); fault != "" {
			fmt.Fprintf(os.Stderr, "%s: %s\n", s, fault)
			code = 1
		}
	}
	return code
}

// runsAll says whether no test was left out.
func runsAll() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

func (p planned) list(r *recorder) (list []Statement, err error) {
	constants, err := constants(".")
	if err != nil {
		return nil, err
	}
	if p.o.Open == nil {
		return r.statements(constants, nil)
	}
	if opened := p.o.Open(func(db *engine.DB) { list, err = r.statements(constants, db) }); opened != nil {
		return nil, opened
	}
	return list, err
}
