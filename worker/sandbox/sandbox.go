// Package sandbox is the place of the walls around a worker: it says which there are, and turns the wish for a worker
// into what is executed. There are none yet. Every worker gets TierOff, and everybody who starts one is told so.
package sandbox

import (
	"fmt"
	"syscall"
)

// Tier names how much of a wall there is.
type Tier string

const (
	TierAccounts   Tier = "accounts"   // an OS account for each person, and all of TierNamespaces
	TierNamespaces Tier = "namespaces" // own mounts, processes and network; Landlock; seccomp; limits
	TierLandlock   Tier = "landlock"   // Landlock and seccomp: walls for files and sockets, processes are seen
	TierOff        Tier = "off"        // nothing
)

// Profile says what a process is for, and with that how tight its walls are.
type Profile string

// ProfileWorker is a person's long-lived worker. It is the only profile as yet.
const ProfileWorker Profile = "worker"

// why is the sentence for TierOff. It is shown at every start.
const why = "There are no walls around workers in this version: a worker, and any program that it runs, can do " +
	"whatever the account can do that Mews runs as. Give Mews an account of its own, and let only people talk to it " +
	"whom you would let use that account."

// Detect gives the tier that Stage builds here, and a sentence about it for people.
func Detect() (Tier, string) { return TierOff, why }

// Request is the wish for a worker. The spawner has checked all of it but the profile.
type Request struct {
	Worker  string // absolute path of the program
	Home    string // the home's path, as the worker shall know it
	Dir     string // a path to the home that cannot be made to lead elsewhere; good until the program is executed
	Profile Profile
}

// Command is what is to be executed. Nothing in it comes from the environment of the process that executes it.
type Command struct {
	Path string
	Argv []string
	Env  []string
	Dir  string
	Attr syscall.SysProcAttr
}

// Stage turns a Request into a Command: the program itself, with no walls. The process leads a session of its own, so
// that it has no terminal and its group can be signalled as one.
func Stage(r Request) (Command, error) {
	if r.Profile != ProfileWorker {
		return Command{}, fmt.Errorf("profile %q: there is only %q", r.Profile, ProfileWorker)
	}
	return Command{
		Path: r.Worker,
		Argv: []string{r.Worker},
		Env:  environment(r.Home),
		Dir:  r.Dir,
		Attr: syscall.SysProcAttr{Setsid: true},
	}, nil
}

// environment is all that a worker is given of one. There is no TMPDIR: temporary files go to /tmp, by everybody's
// default.
func environment(home string) []string {
	return []string{
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"HOME=" + home,
	}
}
