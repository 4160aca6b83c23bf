package protocol

// MethodTryWalls asks a worker to try to escape from its walls. It takes TryWallsParams and returns
// TryWallsResult. It replaces hello, for a worker without a user.
const MethodTryWalls = "walls.try"

// DaemonMarkerFile is a file in the home of a worker that tries all escapes. A process that the
// worker leaves behind keeps the file locked. So the supervisor sees whether that process outlives
// the worker.
const DaemonMarkerFile = "mews-daemon"

// TryWallsParams selects the attempts and their victims. The supervisor has made the victims. Each
// victim holds Secret: a worker that can read Secret has escaped. An empty victim is not tried.
type TryWallsParams struct {
	// try all attempts; false means only attempts that are quick and leave nothing behind
	All     bool          `json:"all,omitempty"`
	Victims EscapeVictims `json:"victims"`
}

// EscapeVictims are things that a worker must not reach.
type EscapeVictims struct {
	Secret     string `json:"secret"`
	Supervisor int    `json:"supervisor,omitempty"` // pid of the supervisor
	// the pid of a process that has Secret in its environment
	Process int `json:"process,omitempty"`
	// pid namespace of Supervisor and Process, as in /proc/self/ns/pid
	PIDNamespace string `json:"pid_namespace,omitempty"`
	OtherHome    string `json:"other_home,omitempty"` // a file in the home of another user
	// a file of the worker's account, outside of the worker's home
	OwnOutside string `json:"own_outside,omitempty"`
	StateFile  string `json:"state_file,omitempty"` // a file of the service
	TCP        string `json:"tcp,omitempty"`        // an address at which Secret can be read
	// name of an abstract Unix socket, without its zero byte
	Abstract string `json:"abstract,omitempty"`
	Socket   string `json:"socket,omitempty"` // a Unix socket's path
	// the folder of this worker's file history on the host, in which the worker keeps Secret
	History string `json:"history,omitempty"`
}

// TryWallsResult is the result of walls.try.
type TryWallsResult struct {
	Findings []EscapeReport `json:"findings"`
}

// EscapeReport is the outcome of one attempt.
type EscapeReport struct {
	Row     string `json:"row"`  // name of the attempt, such as F1
	What    string `json:"what"` // description of the attempt, such as: read /etc/shadow
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"` // the wall that stopped the attempt, or the data that it could read
}

// Outcomes of an attempt.
const (
	EscapePrevented = "stopped"
	EscapeSucceeded = "escaped"
	EscapeUntried   = "untried"
)
