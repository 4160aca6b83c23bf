// Package sandbox builds the walls around a worker and around its programs. DetectTier tries which
// walls this system supports. If a promised wall cannot be built, no program is executed.
//
//	DetectTier    the best tier that works here
//	RunStageOne   mews-spawner executes it before the worker: it builds the walls, then becomes the worker
//	RunStageZero  starts stage one if the spawner must change the account first
//	ToolStarter   starts a worker's programs behind a second, tighter layer
//
// A running Go process is never restricted in place: Landlock holds for one thread, and older
// threads would stay outside. RunStageOne and ToolStarter restrict one locked thread, which then
// executes a program.
//
// macOS has no walls: there is only the tier off.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Tier is a set of walls.
type Tier string

const (
	TierAccounts Tier = "accounts" // an OS account for each user, and all of TierNamespaces
	// own mounts, processes and network; Landlock; seccomp; limits
	TierNamespaces Tier = "namespaces"
	// Landlock and seccomp: walls for files and sockets; the worker can list other processes
	TierLandlock Tier = "landlock"
	TierOff      Tier = "off" // no walls
)

// tierOrder lists all tiers, the lowest first.
var tierOrder = []Tier{TierOff, TierLandlock, TierNamespaces, TierAccounts}

// AtLeast reports whether t has all the walls of least.
func (t Tier) AtLeast(least Tier) bool {
	return slices.Index(tierOrder, t) >= slices.Index(tierOrder, least)
}

// IsValid reports whether t is one of the tiers.
func (t Tier) IsValid() bool { return slices.Contains(tierOrder, t) }

// Profile is the purpose of a process. It decides how tight the walls are.
type Profile string

const (
	ProfileWorker Profile = "worker" // a user's long-lived worker: no sockets except pairs
	ProfileTool   Profile = "tool"   // a program that a worker starts: the same walls once more
	ProfileReview Profile = "review" // a one-shot worker: no tool, no folder, no child process
)

// profiles are all profiles.
var profiles = []Profile{ProfileWorker, ProfileTool, ProfileReview}

// IsValid reports whether p is one of the profiles.
func (p Profile) IsValid() bool { return slices.Contains(profiles, p) }

// BindMount is a folder of the host that a worker sees.
type BindMount struct {
	Name string // name below /workspaces; "" means the folder's path on the host, read-only
	Root string // absolute path of a folder
	Path string // path of the folder, relative to Root and beneath it
	// identity of the folder that was checked; another folder at the same path is refused
	Device   uint64
	Inode    uint64
	Writable bool
	// stage one's descriptor of the folder or its mount; 0 means that stage one opens the folder
	Mount int
}

// Limits hold for each process of a worker (setrlimit(2)). A control group limits all of them
// together; see package cgroup.
type Limits struct {
	Memory int64 // most bytes of data of one process; 0 means 2 GiB
	Tmp    int64 // most bytes in /tmp, and as many in /dev/shm; 0 means 256 MiB
	File   int64 // most bytes of one file; 0 means 1 GiB
	PIDs   int   // most processes and threads; 0 means 512
	// the kernel counts this worker's processes together with those of other workers; PIDs then
	// limits all of them together
	Shared bool
}

// IDRange is a range of account or group numbers, both ends included.
type IDRange struct{ From, To uint32 }

// Contains reports whether an id is in the range.
func (r IDRange) Contains(id uint32) bool { return id >= r.From && id <= r.To }

// Plan holds everything that RunStageOne needs. The spawner makes and checks it.
type Plan struct {
	Tier    Tier
	Profile Profile
	Worker  string // the worker's program on the host, absolute
	// the user's folder; in the landlock tier it keeps its path. Home and Binds are zero with
	// ProfileReview
	Home  BindMount
	Binds []BindMount
	// the worker's folder for the file history of its home; the zero value means none. Stage one
	// opens it, or gets it as a descriptor from the spawner. It has no path inside the walls,
	// except in the landlock tier.
	History BindMount
	Limits  Limits
	// account of the worker; -1 means that the process already has the account
	UID   int
	GID   int
	Probe bool // build the walls, but execute no worker
}

// hasNoFolders reports whether the worker sees no folder at all, neither its user's nor the host's.
func (p Plan) hasNoFolders() bool { return p.Profile == ProfileReview }

// check refuses an impossible plan.
func (p Plan) check() error {
	switch {
	case !p.Tier.IsValid():
		return fmt.Errorf("tier %q is unknown", p.Tier)
	case !p.Profile.IsValid() || p.Profile == ProfileTool:
		return fmt.Errorf("profile %q is unknown", p.Profile)
	case p.Worker == "" && !p.Probe:
		return errors.New("there is no program to execute")
	case p.UID == 0 || p.GID == 0:
		return errors.New("a worker is never root")
	case min(p.Limits.Memory, p.Limits.Tmp, p.Limits.File, int64(p.Limits.PIDs)) < 0:
		return fmt.Errorf("limits %+v: none is below 0", p.Limits)
	case p.hasNoFolders() && (p.Home != BindMount{} || len(p.Binds) > 0):
		return fmt.Errorf("home %q and %d folders: a worker that only reads has none", p.Home.Root, len(p.Binds))
	case p.History != BindMount{} && (p.hasNoFolders() || !p.Tier.AtLeast(TierLandlock)):
		return fmt.Errorf("history %q: a worker with no folders or no walls has none", p.History.path())
	case p.History.Mount != 0 && p.History.Mount != historyFD:
		return fmt.Errorf("history %q: it is descriptor %d, want %d", p.History.path(), p.History.Mount, historyFD)
	case p.History != BindMount{} && !filepath.IsAbs(p.History.Root):
		return fmt.Errorf("history %q: want an absolute root", p.History.Root)
	case !p.hasNoFolders() && !filepath.IsAbs(p.Home.Root):
		return fmt.Errorf("home %q: want an absolute root", p.Home.Root)
	}
	for _, b := range p.Binds {
		if err := b.check(); err != nil {
			return err
		}
	}
	return nil
}

// ownFolders are a worker's own folders. No folder of the host may replace them.
var ownFolders = []string{InnerHomePath, InnerWorkspacesPath, "/tmp", "/dev", "/proc", "/etc", "/run", "/var", "/"}

// check refuses a bind that would hide the worker's own folders, or would let the worker write to
// folders of the host.
func (b BindMount) check() error {
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
