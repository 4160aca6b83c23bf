package protocol

// MethodTryWalls has a worker try to get out of its walls: TryWalls to TriedWalls. It is for a worker that is nobody's: it
// takes the place of hello.
const MethodTryWalls = "walls.try"

// DaemonMarker is a file in the home of a worker that tries everything. What it leaves behind keeps the file locked, so that
// the supervisor sees whether it lives when the worker has ended.
const DaemonMarker = "mews-daemon"

// TryWalls says what is tried, and on whom. The supervisor has made the victims; each holds Secret, and whoever reads that
// has escaped. What is empty is not tried.
type TryWalls struct {
	All     bool    `json:"all,omitempty"` // else those alone that are quick and leave nothing behind
	Victims Victims `json:"victims"`
}

// Victims are what a worker must not reach.
type Victims struct {
	Secret       string `json:"secret"`
	Supervisor   int    `json:"supervisor,omitempty"`    // a pid
	Process      int    `json:"process,omitempty"`       // the pid of a process that has Secret in its environment
	PIDNamespace string `json:"pid_namespace,omitempty"` // in which these are pids: what /proc/self/ns/pid leads to
	OtherHome    string `json:"other_home,omitempty"`    // a file in the home of somebody else
	OwnOutside   string `json:"own_outside,omitempty"`   // a file of the worker's account, above its home
	StateFile    string `json:"state_file,omitempty"`    // a file of the service's own
	TCP          string `json:"tcp,omitempty"`           // an address on which Secret is told
	Abstract     string `json:"abstract,omitempty"`      // an abstract Unix socket, without its zero byte
	Socket       string `json:"socket,omitempty"`        // a Unix socket's path
}

// TriedWalls is what came of it.
type TriedWalls struct {
	Findings []Finding `json:"findings"`
}

// Finding is what came of one attempt.
type Finding struct {
	Row     string `json:"row"`  // F1
	What    string `json:"what"` // read /etc/shadow
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // what stopped it, or what was got
}

// What an attempt comes to.
const (
	OutcomeStopped = "stopped"
	OutcomeEscaped = "escaped"
	OutcomeUntried = "untried"
)
