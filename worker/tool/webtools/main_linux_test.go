package webtools

import (
	"os"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"mews/worker/document"
	"mews/worker/parse"
)

// TestMain makes the test process a sub-reaper, as a worker is. Like a worker's program, the test's
// program can also run as a parser.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == parse.ParserArgument {
		os.Exit(document.Main(os.Args[2], nil))
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
