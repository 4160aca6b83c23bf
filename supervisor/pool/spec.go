package pool

import (
	"fmt"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// Profile is what a worker is for.
type Profile string

const (
	// runs a user's turns; it is kept until it has been idle for a while
	ProfileUser    Profile = "user"
	ProfileArchive Profile = "archive" // packs a user's home; one-shot
	// reads a user's files if no other worker of the user runs; one-shot
	ProfileCheck    Profile = "look"
	ProfileSelfTest Profile = "self-test" // tests its sandbox; one-shot
	ProfileReview   Profile = "review"    // runs a turn that only reads, without a home; one-shot
)

// profiles holds a row for each Profile. A one-shot worker ends as soon as nobody has it.
var profiles = map[Profile]struct {
	sandbox string // the profile that the spawner is asked for
	oneShot bool
}{
	ProfileUser:     {sandbox: "worker"},
	ProfileArchive:  {sandbox: "worker", oneShot: true},
	ProfileCheck:    {sandbox: "worker", oneShot: true},
	ProfileSelfTest: {sandbox: "worker", oneShot: true},
	ProfileReview:   {sandbox: "review", oneShot: true},
}

// Spec says which worker is wanted, and how it is started if it does not run.
type Spec struct {
	// at most one worker of a key runs at a time: a user's name, or the purpose of a one-shot
	// worker
	Key     string
	Profile Profile
	Place   Place
	// sent to the worker; Version is filled in. nil means a worker without a user, which may call
	// nothing
	Hello *protocol.Hello
	// the worker is wanted once nobody else has it; others may have it from then on
	Unused bool
}

// user returns the worker's user, or "".
func (s Spec) user() string {
	if s.Hello == nil {
		return ""
	}
	return s.Hello.User
}

// Place is the location of a user's home, and what the worker in it may use. The spawner opens Path
// beneath Root; without a Root there is no home.
type Place struct {
	Root     string // absolute
	Path     string // relative to Root; "." is Root itself
	MakeHome bool   // the spawner makes a missing home
	UID, GID uint32 // the user's own account; 0 means the spawner's account for users without one
	Memory   uint64 // bytes, of the worker and all that it runs; 0 is the spawner's own limit
	PIDs     uint32 // processes and threads of it
	Binds    []spawnwire.Bind
}

// request returns the request for the spawner.
func (s Spec) request() (spawnwire.Spawn, error) {
	profile, known := profiles[s.Profile]
	if !known {
		return spawnwire.Spawn{}, fmt.Errorf("no worker has the profile %q", s.Profile)
	}
	p := s.Place
	return spawnwire.Spawn{Root: p.Root, Path: p.Path, MakeHome: p.MakeHome, UID: p.UID, GID: p.GID, Memory: p.Memory, PIDs: p.PIDs, Binds: p.Binds,
		Profile: profile.sandbox}, nil
}
