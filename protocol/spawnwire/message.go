package spawnwire

// Message is one of Spawn, Kill, Ready, Started, Refused, LimitHit and Exited. Its fields go over
// the wire in their order: numbers, truths, texts, each with its limit, and Binds.
type Message interface{ kind() kind }

// Spawn asks for a worker. It carries two descriptors: the worker's end of the socketpair, and the
// pipe that becomes its standard error.
type Spawn struct {
	ID uint64
	// the account that it runs as; 0 is the spawner's own, which is refused if that is root
	UID  uint32
	GID  uint32
	Root string `limit:"path"` // absolute path of a folder that homes lie in
	Path string `limit:"path"` // the home, relative to Root and beneath it; "." is Root itself
	// make the home where it is missing; only for an account of the policy's people or uids
	MakeHome bool
	Profile  string `limit:"word"` // which walls: see worker/sandbox
	Memory   uint64 // bytes, of the worker and all that it runs; 0 is the spawner's own limit
	PIDs     uint32 // processes and threads of it; 0 is the spawner's own limit
	Binds    []Bind // the folders that it sees besides the home, at most MaxBinds
}

// Bind is a folder besides the home that a worker sees.
type Bind struct {
	Name     string `limit:"word"` // beneath /workspaces; "": at its own path, read-only
	Root     string `limit:"path"` // absolute
	Path     string `limit:"path"` // relative to Root and beneath it
	Writable bool
}

// Kill asks for a signal to a worker: SIGTERM to its process, or SIGKILL to its whole process
// group. For a worker that has ended it is ignored, because it may have crossed with the Exited.
type Kill struct {
	ID     uint64
	Signal uint32
}

// Ready is the spawner's first message.
type Ready struct {
	Version uint32
	Tier    string `limit:"word"` // the walls that workers get
	Why     string `limit:"text"` // a sentence about them, for people
	// a sentence about what limits a worker and all that it runs together
	Limits string `limit:"text"`
	From   uint32 // the first uid of people without an account that a worker may have; 0: none
	To     uint32 // the last
}

// Started answers a Spawn.
type Started struct {
	ID  uint64
	PID uint32
}

// Refused answers a Spawn that did not become a worker.
type Refused struct {
	ID       uint64
	Reason   string `limit:"text"`
	Shortage bool   // the machine had no room for it: it may be asked for again soon
}

// LimitHit says that a limit has ended or refused something of a worker, which goes on.
type LimitHit struct {
	ID    uint64
	Kind  string `limit:"word"` // which limit: memory, pids
	Limit uint64 // bytes, or processes
	Times uint32 // since it was last reported
}

// Exited says that a worker has ended, and that nothing it started is left.
type Exited struct {
	ID     uint64
	PID    uint32
	Status uint32 // as wait4 gives it
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
)

// messages are all messages, empty, by their kind.
var messages = map[kind]Message{
	kindSpawn: Spawn{}, kindKill: Kill{}, kindReady: Ready{}, kindStarted: Started{}, kindRefused: Refused{},
	kindExited: Exited{}, kindLimitHit: LimitHit{},
}

func (Spawn) kind() kind    { return kindSpawn }
func (Kill) kind() kind     { return kindKill }
func (Ready) kind() kind    { return kindReady }
func (Started) kind() kind  { return kindStarted }
func (Refused) kind() kind  { return kindRefused }
func (Exited) kind() kind   { return kindExited }
func (LimitHit) kind() kind { return kindLimitHit }
