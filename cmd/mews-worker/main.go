// Command mews-worker runs one user's turns. The spawner starts it with a socket to the supervisor
// as its standard input and output. It has no configuration. It executes itself to parse a file:
// mews-worker parse KIND. To test its walls it executes itself too: mews-worker escape ROW VICTIMS.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // time zones, even if the system has none

	"mews/worker/document"
	"mews/worker/parse"
	"mews/worker/sandbox"
	"mews/worker/serve"
)

// version is the build's version. The linker sets it.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("mews-worker", version)
		return
	}
	if len(os.Args) == 3 && os.Args[1] == parse.ParserArgument {
		os.Exit(document.Main(os.Args[2], limitParser))
	}
	if len(os.Args) == 4 && os.Args[1] == escapeArgument {
		runEscape(os.Args[2], os.Args[3])
		return
	}
	if err := run(); err != nil {
		logError(err)
		os.Exit(1)
	}
}

// run serves until the supervisor ends or sends stop, or until SIGTERM.
func run() error {
	if len(os.Args) > 1 {
		return fmt.Errorf("arguments %q: want none, or --version", os.Args[1:])
	}
	inherited, err := sandbox.TakeInherited()
	if err != nil {
		return err
	}
	socket, err := takeSocket()
	if err != nil {
		return err
	}
	// One processor is enough for a user's turns. With more, each woken goroutine would wake a
	// thread too. Programs of tools have all processors.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(gcPercent)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := serve.Options{Build: version, Now: time.Now, Report: logError, Temp: os.TempDir(), Env: inheritedVariables(),
		Abort:   abort,
		History: inherited.History}
	addWalls(&o, inherited)
	return serve.Run(ctx, socket, o)
}

// gcPercent is how much the heap may grow before a collection, in percent of the memory in use. A
// worker's heap is small, and there is one worker for each active user. (Measured: a thousand turns
// leave 22 MiB instead of 102.)
const gcPercent = 25

// inheritedVariables returns the variables of this process that its programs need too: the
// temporary folder if /tmp is not the worker's own, and a variable that keeps git from reading the
// machine's settings.
func inheritedVariables() (env []string) {
	for _, name := range []string{"TMPDIR", "GIT_CONFIG_NOSYSTEM"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// abort ends this process and with it all its programs. The spawner and the kernel end the
// programs.
func abort(err error) {
	logError(err)
	os.Exit(1)
}

// logError writes to standard error, which goes to the supervisor's log.
func logError(err error) {
	fmt.Fprintf(os.Stderr, "mews-worker: %v\n", err)
}
