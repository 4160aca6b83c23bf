package spawnwire

// Message is a message between the supervisor and the spawner. It is one of SpawnRequest,
// KillRequest, EndProgramsRequest, AliveRequest, ReadyMessage, StartedMessage, RefusedMessage,
// LimitHitMessage and ExitedMessage. Its fields are sent in their order: numbers, bools, Binds, and
// texts. Each text has a limit.
type Message interface{ kind() kind }

// SpawnRequest asks for a worker. It carries two descriptors: the worker's end of the socketpair,
// and the pipe that becomes the worker's standard error.
type SpawnRequest struct {
	ID uint64
	// uid of the worker's account; 0 means the spawner's account. The spawner refuses 0 if it runs
	// as root.
	UID  uint32
	GID  uint32
	Root string `limit:"path"` // absolute path of a folder that contains homes
	Path string `limit:"path"` // the home, relative to Root and beneath it; "." is Root itself
	// creates a missing home; allowed only for accounts in the policy's people or uids
	MakeHome bool
	// the worker's folder for the file history of its home: the absolute path of a folder, and a
	// name in it that ends in .history. Both are "" for a worker without a history. The spawner
	// makes a missing folder.
	HistoryRoot string      `limit:"path"`
	HistoryPath string      `limit:"path"`
	Profile     string      `limit:"word"` // walls of the worker: see worker/sandbox
	Memory      uint64      // most bytes of the worker and its programs; 0 means the spawner's own limit
	PIDs        uint32      // most processes and threads of the worker; 0 means the spawner's own limit
	Binds       []BindMount // folders that the worker sees besides the home, at most MaxBindMounts
}

// BindMount is a folder besides the home that a worker sees.
type BindMount struct {
	Name     string `limit:"word"` // name below /workspaces; "" means the folder's own path, read-only
	Root     string `limit:"path"` // absolute path of a folder
	Path     string `limit:"path"` // path of the folder, relative to Root and beneath it
	Writable bool
}

// KillRequest asks for a signal to a worker. SIGTERM goes to the worker's process, SIGKILL to its
// whole process group. A KillRequest for an ended worker is ignored, because the ExitedMessage may
// have been under way.
type KillRequest struct {
	ID     uint64
	Signal uint32
}

// EndProgramsRequest asks the spawner to kill all programs of a worker. These programs have reached
// a limit that the supervisor watches. The worker goes on. The answer is a LimitHitMessage with the
// same Kind and Limit, unless the worker has ended.
type EndProgramsRequest struct {
	ID    uint64
	Kind  string `limit:"word"` // name of the limit
	Limit uint64 // value of the limit
}

// AliveRequest tells a spawner that a service manager has started about the service. The spawner
// passes it on to the service manager. Another spawner ignores it.
type AliveRequest struct {
	State string `limit:"word"`   // a state of the service: StateStarting and so on
	Text  string `limit:"status"` // the service's status for people; "" changes nothing
}

// States of the service in an AliveRequest.
const (
	StateStarting = "starting" // the start goes on, and may take longer than usual
	StateReady    = "ready"    // the service serves from now on
	StateAlive    = "alive"    // the service still moves
	StateStopping = "stopping" // the service ends
)

// ReadyMessage is the spawner's first message.
type ReadyMessage struct {
	Version uint32
	Tier    string `limit:"word"` // tier of the workers' walls
	Why     string `limit:"text"` // a sentence about the walls, for people
	// a sentence about the common limits of a worker and its programs
	Limits   string `limit:"text"`
	FirstUID uint32 // the first uid for people without an account; 0 means none
	LastUID  uint32 // the last uid for people without an account
}

// StartedMessage is the answer to a SpawnRequest that succeeded.
type StartedMessage struct {
	ID  uint64
	PID uint32
	// why the worker has no file history, although its request named one; "" means that it has it
	HistoryFault string `limit:"text"`
}

// RefusedMessage is the answer to a SpawnRequest that failed.
type RefusedMessage struct {
	ID       uint64
	Reason   string `limit:"text"`
	Shortage bool   // the machine had too little memory or processes for now: ask again soon
}

// LimitHitMessage reports that a limit has ended or refused some process of a worker. The worker
// goes on.
type LimitHitMessage struct {
	ID    uint64
	Kind  string `limit:"word"` // name of the limit, such as memory or pids
	Limit uint64 // value of the limit: bytes, or a number
	// number of hits since the last report; 0 answers an EndProgramsRequest for a worker without
	// programs
	Times uint32
}

// ExitedMessage reports that a worker and all its processes have ended.
type ExitedMessage struct {
	ID     uint64
	PID    uint32
	Status uint32 // exit status in the form of wait4
}

// kind is a message's first byte.
type kind byte

const (
	kindSpawn kind = 1 + iota
	kindKill
	kindReady
	kindStarted
	kindRefused
	kindExited
	kindLimitHit
	kindEndPrograms
	kindAlive
)

// messages maps each kind to an empty message of that kind.
var messages = map[kind]Message{
	kindSpawn: SpawnRequest{}, kindKill: KillRequest{}, kindReady: ReadyMessage{}, kindStarted: StartedMessage{},
	kindRefused: RefusedMessage{},
	kindExited:  ExitedMessage{}, kindLimitHit: LimitHitMessage{}, kindEndPrograms: EndProgramsRequest{},
	kindAlive: AliveRequest{},
}

func (SpawnRequest) kind() kind       { return kindSpawn }
func (KillRequest) kind() kind        { return kindKill }
func (ReadyMessage) kind() kind       { return kindReady }
func (StartedMessage) kind() kind     { return kindStarted }
func (RefusedMessage) kind() kind     { return kindRefused }
func (ExitedMessage) kind() kind      { return kindExited }
func (LimitHitMessage) kind() kind    { return kindLimitHit }
func (EndProgramsRequest) kind() kind { return kindEndPrograms }
func (AliveRequest) kind() kind       { return kindAlive }
