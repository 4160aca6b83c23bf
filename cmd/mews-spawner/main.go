// Command mews-spawner starts the workers of mews, and leaves nothing of them alive. mews starts
// it. Where people have accounts of their own the service manager starts it instead, and it starts
// mews:
//
//	mews-spawner KEY=VALUE ...              its socket is descriptor 3; the keys are those of a policy
//	mews-spawner --policy FILE -- PROGRAM   root's file says what may be started; PROGRAM is mews, without privilege
//
// When the other side of its socket is gone it kills every worker and ends. It executes itself as
// the stages before a worker, which build the walls.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"mews/protocol/spawnwire"
	"mews/worker/spawn"
)

// version is set by the linker.
var version = "dev"

// socket is the descriptor that mews leaves open for its spawner.
const socket = 3

// init keeps main on the process's first thread where mews is started without privilege:
// capabilities belong to a thread, and those of the first are the process's for whoever looks.
func init() {
	if isSupervisor() {
		runtime.LockOSThread()
	}
}

// isSupervisor says whether the service manager has started this process.
func isSupervisor() bool { return len(os.Args) > 1 && os.Args[1] == "--policy" }

func main() {
	run := serve
	if len(os.Args) == 2 && modes[os.Args[1]] != nil {
		run = func([]string) error { return modes[os.Args[1]]() }
	}
	if isSupervisor() {
		run = supervise
	}
	began := time.Now()
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mews-spawner:", err)
		pause(began)
		os.Exit(exitStatus(err))
	}
}

// settled is how long a service has to have run for its failure to be no repeated one.
const settled = 5 * time.Second

// pause holds up the end of a service that failed soon after it began: systemd starts it again at
// once (RestartSec in its unit), and grows that by itself only from version 254 on. A signal ends
// the pause.
func pause(began time.Time) {
	if os.Getenv("INVOCATION_ID") == "" { // systemd sets it (systemd.exec(5))
		return
	}
	signal.Reset()
	time.Sleep(settled - time.Since(began))
}

func printVersion() error {
	_, err := fmt.Println("mews-spawner", version)
	return err
}

// serve is the spawner of a mews that has started it. It has no more privilege than mews.
func serve(args []string) error {
	policy, err := parsePolicy(args)
	if err != nil {
		return fmt.Errorf(textWithPolicy, err)
	}
	conn, err := spawnwire.NewConn(socket)
	if err != nil {
		return fmt.Errorf(textWithSocket, err)
	}
	collectEarly()
	return spawn.Run(conn, spawn.Options{Policy: policy})
}

func parsePolicy(args []string) (p spawn.Policy, err error) {
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		if err := p.Set(key, value); err != nil {
			return p, err
		}
	}
	return p, p.Check()
}

// collectEarly keeps a process small that is always there: it does little, and soon drops what it
// allocates. A stage before a worker does not need it: it ends before there is anything worth
// collecting.
func collectEarly() { debug.SetGCPercent(10) }
