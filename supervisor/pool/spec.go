package pool

import (
	"fmt"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// Profile is a worker's purpose.
type Profile string

const (
	// ProfileUser runs a user's turns. The worker is kept until it has been idle for a while.
	ProfileUser    Profile = "user"
	ProfileArchive Profile = "archive" // packs a user's home; one-shot
	// ProfileCheck reads a user's files if no other worker of the user runs; one-shot.
	ProfileCheck    Profile = "look"
	ProfileSelfTest Profile = "self-test" // tests the worker's sandbox; one-shot
	ProfileReview   Profile = "review"    // runs a read-only turn, without a home; one-shot
)

// profiles has a row for each Profile. A one-shot worker ends as soon as it is released.
var profiles = map[Profile]struct {
	sandbox string // the spawner's name for the profile
	oneShot bool
}{
	ProfileUser:     {sandbox: "worker"},
	ProfileArchive:  {sandbox: "worker", oneShot: true},
	ProfileCheck:    {sandbox: "worker", oneShot: true},
	ProfileSelfTest: {sandbox: "worker", oneShot: true},
	ProfileReview:   {sandbox: "review", oneShot: true},
}

// Spec describes the wanted worker, and how to start it if it does not run.
type Spec struct {
	// Key is a user's name, or the purpose of a one-shot worker. At most one worker of a key runs
	// at a time.
	Key     string
	Profile Profile
	Place   Place
	// Hello is sent to the worker, with Version filled in. nil means a worker without a user, whose
	// calls are all refused.
	Hello *protocol.Hello
	// Unused asks for the worker when nobody else has it. Once lent, it may be lent to others, too.
	Unused bool
}

// user returns the name of the worker's user, or "" for none.
func (s Spec) user() string {
	if s.Hello == nil {
		return ""
	}
	return s.Hello.User
}

// Place is the location of a user's home, with the account and limits of its worker. The spawner
// opens Path beneath Root; without a Root there is no home.
type Place struct {
	Root     string // an absolute path
	Path     string // relative to Root; "." is Root itself
	MakeHome bool   // whether the spawner makes a missing home
	UID, GID uint32 // the user's own account; 0 means the spawner's account for users without one
	Memory   uint64 // bytes for the worker and its processes; 0 is the spawner's own limit
	PIDs     uint32 // maximum of the worker's processes and threads
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
