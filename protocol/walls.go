package protocol

// MethodTryWalls has a worker try to get out of its walls: TryWalls to TriedWalls. It takes the
// place of hello, for a worker that works for nobody.
const MethodTryWalls = "walls.try"

// DaemonMarker is a file in the home of a worker that tries everything. A process that the worker
// leaves behind keeps the file locked, so that the supervisor sees whether such a process lives
// when the worker has ended.
const DaemonMarker = "mews-daemon"

// TryWalls says which attempts are made, and on which victims. The supervisor has made the victims.
// Each of them holds Secret: a worker that can tell it has escaped. A victim that is empty is not
// tried.
type TryWalls struct {
	// false: only the attempts that are quick and leave nothing behind
	All     bool    `json:"all,omitempty"`
	Victims Victims `json:"victims"`
}

// Victims are what a worker must not reach.
type Victims struct {
	Secret     string `json:"secret"`
	Supervisor int    `json:"supervisor,omitempty"` // a pid
	// the pid of a process that has Secret in its environment
	Process int `json:"process,omitempty"`
	// of these pids, as /proc/self/ns/pid names it
	PIDNamespace string `json:"pid_namespace,omitempty"`
	OtherHome    string `json:"other_home,omitempty"` // a file in the home of somebody else
	// a file of the worker's account, above its home
	OwnOutside string `json:"own_outside,omitempty"`
	StateFile  string `json:"state_file,omitempty"` // a file of the service's own
	TCP        string `json:"tcp,omitempty"`        // an address at which Secret can be read
	// an abstract Unix socket, without its zero byte
	Abstract string `json:"abstract,omitempty"`
	Socket   string `json:"socket,omitempty"` // a Unix socket's path
}

// TriedWalls is the result of walls.try.
type TriedWalls struct {
	Findings []Finding `json:"findings"`
}

// Finding is the outcome of one attempt.
type Finding struct {
	Row     string `json:"row"`  // F1
	What    string `json:"what"` // read /etc/shadow
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // what stopped it, or what it could read
}

// The outcomes of an attempt.
const (
	EscapePrevented = "stopped"
	EscapeSucceeded = "escaped"
	EscapeUntried   = "untried"
)
