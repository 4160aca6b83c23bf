// Command mews-worker runs one person's turns. The spawner starts it with a socket to the
// supervisor as its standard input and output. It takes no configuration. To try its walls it
// executes itself: mews-worker escape ROW VICTIMS.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
	_ "time/tzdata" // people's time zones, also where the system has none installed

	"mews/worker/serve"
)

// version is the build's version. The linker sets it.
var version = "dev"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("mews-worker", version)
		return
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

// run serves until the supervisor goes or says stop, or until SIGTERM.
func run() error {
	if len(os.Args) > 1 {
		return fmt.Errorf("arguments %q: want none, or --version", os.Args[1:])
	}
	socket, err := takeSocket()
	if err != nil {
		return err
	}
	// One person's turns have enough of one processor. With more, whatever wakes a goroutine wakes
	// a thread for it too. The programs that tools start have all processors.
	runtime.GOMAXPROCS(1)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return serve.Run(ctx, socket, serve.Options{Build: version, Now: time.Now, Report: logError, Try: tryWalls, Temp: os.TempDir(),
		Env: inheritedVariables(), Start: programStarter(),
	})
}

// inheritedVariables are the variables of this process that its programs need too: the folder for
// temporary files where /tmp is not the worker's own, and one that keeps git from reading the
// machine's settings.
func inheritedVariables() (env []string) {
	for _, name := range []string{"TMPDIR", "GIT_CONFIG_NOSYSTEM"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// logError writes to standard error, which the supervisor takes to its log.
func logError(err error) {
	fmt.Fprintf(os.Stderr, "mews-worker: %v\n", err)
}
