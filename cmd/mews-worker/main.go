// Command mews-worker runs one person's turns. The spawner starts it, with a socket to the supervisor as its standard
// input and output; it takes no configuration. It executes itself to try its walls: mews-worker escape ROW VICTIMS.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
	_ "time/tzdata" // people's time zones, also where the system has none installed

	"mews/worker/serve"
)

// version is the build's own, set by the linker.
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
		report(err)
		os.Exit(1)
	}
}

// run serves until the supervisor goes, or until it or a SIGTERM says stop.
func run() error {
	if len(os.Args) > 1 {
		return fmt.Errorf("arguments %q: want none, or --version", os.Args[1:])
	}
	socket, err := takeSocket()
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return serve.Run(ctx, socket, serve.Options{Build: version, Now: time.Now, Report: report, Try: tryWalls, Temp: os.TempDir(),
		Env: inheritedVariables(), Start: programStarter(),
	})
}

// inheritedVariables is what of this process's environment its programs need too: where temporary files go where /tmp is not the
// worker's own, and that git has no settings of the machine's to read.
func inheritedVariables() (env []string) {
	for _, name := range []string{"TMPDIR", "GIT_CONFIG_NOSYSTEM"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// report writes to standard error, which the supervisor takes to its log.
func report(err error) {
	fmt.Fprintf(os.Stderr, "mews-worker: %v\n", err)
}
