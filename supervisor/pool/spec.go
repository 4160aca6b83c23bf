package pool

import (
	"fmt"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// WorkerProfile is the purpose for which a worker is started.
type WorkerProfile string

const (
	// ProfileUser is for a worker that runs a user's turns. The worker stays until it was idle for
	// a while.
	ProfileUser WorkerProfile = "user"
	// ProfileHome is for a one-shot worker that packs or empties a user's home. The user may be
	// gone.
	ProfileHome WorkerProfile = "archive"
	// ProfileExport is for a one-shot worker that packs a user's home and reads its file history.
	// The user may be gone.
	ProfileExport WorkerProfile = "export"
	// ProfileHistory is for a one-shot worker that empties the folder of a file history, which is
	// its home. The user is gone.
	ProfileHistory WorkerProfile = "history"
	// ProfileCheck is for a one-shot worker that reads a user's files. It is used if no other
	// worker of the user runs.
	ProfileCheck    WorkerProfile = "look"
	ProfileSelfTest WorkerProfile = "self-test" // for a one-shot worker that tests its own sandbox
	ProfileReview   WorkerProfile = "review"    // for a one-shot worker without a home, whose turn only reads
)

// profiles has a row for each WorkerProfile. A one-shot worker ends as soon as its lease ends.
var profiles = map[WorkerProfile]struct {
	sandbox string // the spawner's name for the profile
	oneShot bool
	// the worker gets the file history of its location. At most one such worker at a time may
	// write to it; others only read.
	history bool
}{
	ProfileUser:     {sandbox: "worker", history: true},
	ProfileHome:     {sandbox: "worker", oneShot: true},
	ProfileExport:   {sandbox: "worker", oneShot: true, history: true},
	ProfileHistory:  {sandbox: "worker", oneShot: true},
	ProfileCheck:    {sandbox: "worker", oneShot: true},
	ProfileSelfTest: {sandbox: "worker", oneShot: true, history: true},
	ProfileReview:   {sandbox: "review", oneShot: true},
}

// WorkerSpec describes a worker, and how to start it.
type WorkerSpec struct {
	// Key is the user's name, or the purpose of a one-shot worker. At most one worker with a key
	// runs at a time.
	Key      string
	Profile  WorkerProfile
	Location WorkerLocation
	// Hello is sent to the worker, with Version filled in. nil means a worker without a user, whose
	// calls are all refused.
	Hello *protocol.Hello
	// Unused means that the request waits until nobody uses the worker. After that the worker may
	// be lent to other requests too.
	Unused bool
}

// user returns the name of the worker's user; "" means no user.
func (s WorkerSpec) user() string {
	if s.Hello == nil {
		return ""
	}
	return s.Hello.User
}

// WorkerLocation is the location of a user's home, with account and limits of its worker. The
// spawner opens Path below Root; without Root the worker has no home.
type WorkerLocation struct {
	Root     string // absolute path of the folder that contains the home
	Path     string // path relative to Root; "." means Root itself
	MakeHome bool   // whether the spawner makes a home that does not exist
	UID, GID uint32 // the user's own account; 0 means the account for users without one
	Memory   uint64 // limit of the worker and its processes in bytes; 0 means the spawner's own limit
	PIDs     uint32 // maximum of the worker's processes and threads
	Binds    []spawnwire.BindMount
	// folder of the home's file history: the absolute path of a folder, and a name in it; both are
	// "" if none is kept
	HistoryRoot string
	HistoryPath string
}

// request returns the message that asks the spawner for the worker.
func (s WorkerSpec) request() (spawnwire.SpawnRequest, error) {
	profile, known := profiles[s.Profile]
	if !known {
		return spawnwire.SpawnRequest{}, fmt.Errorf("no worker has the profile %q", s.Profile)
	}
	p := s.Location
	if !profile.history {
		p.HistoryRoot, p.HistoryPath = "", ""
	}
	return spawnwire.SpawnRequest{Root: p.Root, Path: p.Path, MakeHome: p.MakeHome, UID: p.UID, GID: p.GID,
		Memory: p.Memory, PIDs: p.PIDs, Binds: p.Binds, HistoryRoot: p.HistoryRoot, HistoryPath: p.HistoryPath,
		Profile: profile.sandbox}, nil
}
