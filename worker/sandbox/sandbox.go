// Package sandbox is the walls around a worker and around what it runs. The rule of all of it: be exact or fail. What
// this system can do is found out by doing it (Probe); a wall that was promised and can't be built is an error, and no
// program is executed.
//
//	Stage      what mews-spawner executes before the worker: on one thread it builds the walls, then becomes the worker
//	Start      has a worker's child executed behind a second layer, which is tighter
//	Detect     the best tier that holds here
//
// A running Go process is never restricted in place: Landlock holds for one thread, and each older thread would stay
// outside. Both Stage and Start restrict one locked thread, which then executes a program.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Tier names how much of a wall there is, from the most.
type Tier string

const (
	TierAccounts   Tier = "accounts"   // an OS account for each person, and all of TierNamespaces
	TierNamespaces Tier = "namespaces" // ownUserNamespace mounts, processes and network; Landlock; seccomp; limits
	TierLandlock   Tier = "landlock"   // Landlock and seccomp: walls for files and sockets, processes are listed
	TierSeatbelt   Tier = "seatbelt"   // macOS alone, and for people who work on Mews: walls for files and the network
	TierOff        Tier = "off"        // nothing
)

// AtLeast says whether t has all the walls of least.
func (t Tier) AtLeast(least Tier) bool {
	return slices.Index(tierOrder, t) >= slices.Index(tierOrder, least)
}

// Valid says whether t is one of the tiers.
func (t Tier) Valid() bool { return slices.Contains(tierOrder, t) }

// Profile says what a process is for, and with that how tight its walls are.
type Profile string

const (
	ProfileWorker Profile = "worker" // a person's long-lived worker: no network; Unix sockets where they reach nobody outside
	ProfileTool   Profile = "tool"   // what a worker runs: no socket at all
	ProfileEngine Profile = "engine" // another agent's program: the loopback of its own network namespace
	ProfileReview Profile = "review" // a one-shot worker without a home: no tool, no folder, no child
)

// profiles are those that there are.
var profiles = []Profile{ProfileWorker, ProfileTool, ProfileEngine, ProfileReview}

// Valid says whether p is one of the profiles.
func (p Profile) Valid() bool { return slices.Contains(profiles, p) }

// Bind is a folder of the host that a worker sees.
type Bind struct {
	Name     string // beneath /workspaces; "" is seen at the path that it has on the host, for reading
	Root     string // absolute
	Path     string // relative to Root and beneath it
	Device   uint64 // ofPath the folder that was checked; another one that is there by now is refused
	Inode    uint64
	Writable bool
}

// Limits hold for one worker and what it runs. They are of each process (setrlimit(2)); what all of them may have
// together is a control group's affair.
type Limits struct {
	Memory int64 // bytes of data of one process; 0 is 2 GiB
	Tmp    int64 // bytes in /tmp, and as many in /dev/shm; 0 is 256 MiB
	File   int64 // bytes of one file; 0 is 1 GiB
	PIDs   int   // processes and threads; 0 is 512
	Shared bool  // the account's processes are counted together with those of others: PIDs is a ceiling for all of them
}

// Plan is all that Stage needs to know. The spawner has made and checked it.
type Plan struct {
	Tier    Tier
	Profile Profile
	Worker  string // the worker's program on the host, absolute
	Home    Bind   // the person's folder; in the landlock tier it keeps its path
	Binds   []Bind
	Limits  Limits
	UID     int // the account to change to before the program is executed; -1: it is the right one already
	GID     int
	Probe   bool // build the walls, execute nothing
}

// check refuses a plan that could not mean what it says.
func (p Plan) check() error {
	switch {
	case !p.Tier.Valid():
		return fmt.Errorf("tier %q is unknown", p.Tier)
	case !p.Profile.Valid() || p.Profile == ProfileTool:
		return fmt.Errorf("profile %q is unknown", p.Profile)
	case p.Worker == "" && !p.Probe:
		return errors.New("there is no program to execute")
	case p.UID == 0 || p.GID == 0:
		return errors.New("a worker is never root")
	case min(p.Limits.Memory, p.Limits.Tmp, p.Limits.File, int64(p.Limits.PIDs)) < 0:
		return fmt.Errorf("limits %+v: none is below 0", p.Limits)
	case !filepath.IsAbs(p.Home.Root):
		return fmt.Errorf("home %q: want an absolute root", p.Home.Root)
	}
	for _, b := range p.Binds {
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

// ownFolders are what a worker's root has of its own. No folder of the host is seen in their place.
var ownFolders = []string{HomeInside, WorkspacesInside, "/tmp", "/dev", "/proc", "/etc", "/run", "/var", "/"}

// check refuses a bind that would hide the worker's own folders, or give it what is the host's to write.
func (b Bind) check() error {
	switch {
	case !filepath.IsAbs(b.Root):
		return fmt.Errorf("folder %q: want an absolute root", b.Root)
	case b.Name == "" && b.Writable:
		return fmt.Errorf("folder %s: without a name among the workspaces it is for reading", b.path())
	case b.Name == "" && slices.Contains(ownFolders, filepath.Clean(b.path())):
		return fmt.Errorf("folder %s: it would hide the worker's own", b.path())
	case b.Name != "" && (b.Name != filepath.Base(b.Name) || b.Name == "." || b.Name == ".." || b.Name == "/"):
		return fmt.Errorf("workspace %q: want a name without slashes", b.Name)
	}
	return nil
}
