package enginetest

import (
	"flag"
	"fmt"
	"os"

	"mews/supervisor/internal/engine"
)

// Runner runs the tests of a package, as a testing.M does.
type Runner interface{ Run() (code int) }

// Options describes a package whose statements are checked. The tests must run in the package's
// folder.
type Options struct {
	Package     string   // import path of the package
	HelperFiles []string // files of the package that run only statements of other files
	// Open calls use with an empty database. The database plans the statements that no test has
	// run. nil means that such statements have no plan.
	Open func(use func(*engine.DB)) error
	// Fault returns a description of a statement's fault; "" means no fault.
	Fault func(Statement) string
	Least int // least number of statements that must be recorded if all tests run
}

// CheckQueryPlans returns a Runner that also checks the statements of a package. After the tests it
// checks all statements that the tests prepared, and the SQL constants that no test ran.
func CheckQueryPlans(tests Runner, o Options) Runner { return planCheckingRunner{tests, o} }

type planCheckingRunner struct {
	tests Runner
	o     Options
}

// Run implements Runner.
func (p planCheckingRunner) Run() (code int) {
	r := &recorder{importPath: p.o.Package, helperFiles: p.o.HelperFiles, plans: map[string][]string{}}
	engine.OnPrepareStatement = r.record
	code = p.tests.Run()
	engine.OnPrepareStatement = nil
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

// runsAll reports whether all tests run.
func runsAll() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return false
		}
	}
	return true
}

func (p planCheckingRunner) list(r *recorder) (list []Statement, err error) {
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
