package spawnwire

import "fmt"

// Message is one of Spawn, Kill, Ready, Started, Refused, LimitHit and Exited.
type Message interface {
	kind() kind
	// code passes the message's fields to a coder in the order of the wire, and returns the message with what was read.
	code(coder) Message
}

// Spawn asks for a worker. It carries two descriptors: the worker's end of the socketpair, and the pipe that becomes
// its standard error.
type Spawn struct {
	ID       uint64
	UID      uint32 // the account that it runs as; 0 is the spawner's own, which is refused if that is root
	GID      uint32
	Root     string // absolute path of a folder that homes lie in
	Path     string // the home, relative to Root and beneath it; "." is Root itself
	MakeHome bool   // make the home where it is missing; only for an account of the policy's people or uids
	Profile  string // which walls: see worker/sandbox
	Memory   uint64 // bytes, of the worker and all that it runs; 0 is the spawner's own limit
	PIDs     uint32 // processes and threads of it; 0 is the spawner's own limit
	Binds    []Bind // the folders that it sees besides the home, at most MaxBinds
}

// Bind is a folder besides the home that a worker sees.
type Bind struct {
	Name     string // beneath /workspaces; "": at its own path, read-only
	Root     string // absolute
	Path     string // relative to Root and beneath it
	Writable bool
}

// Kill asks for a signal to a worker: SIGTERM to its process, or SIGKILL to its whole process group. For a worker that has
// ended it is ignored, because it may have crossed with the Exited.
type Kill struct {
	ID     uint64
	Signal uint32
}

// Ready is the spawner's first message.
type Ready struct {
	Version uint32
	Tier    string // the walls that workers get
	Why     string // a sentence about them, for people
	Limits  string // a sentence about what limits a worker and all that it runs together
	From    uint32 // the first uid of people without an account that a worker may have; 0: none
	To      uint32 // the last
}

// Started answers a Spawn.
type Started struct {
	ID  uint64
	PID uint32
}

// Refused answers a Spawn that did not become a worker.
type Refused struct {
	ID       uint64
	Reason   string
	Shortage bool // the machine had no room for it: it may be asked for again soon
}

// LimitHit says that a limit has ended or refused something of a worker, which goes on.
type LimitHit struct {
	ID    uint64
	Kind  string // which limit: memory, pids
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

func (m Spawn) code(c coder) Message {
	c.uint64(&m.ID)
	c.uint32(&m.UID)
	c.uint32(&m.GID)
	c.text("root", &m.Root, MaxPath)
	c.text("path", &m.Path, MaxPath)
	c.flag(&m.MakeHome)
	c.text("profile", &m.Profile, MaxWord)
	c.uint64(&m.Memory)
	c.uint32(&m.PIDs)
	n := uint32(len(m.Binds))
	c.uint32(&n)
	if n > MaxBinds {
		c.fail(fmt.Errorf("%d binds, at most %d are allowed", n, MaxBinds))
		return m
	}
	if int(n) != len(m.Binds) { // they are to be read
		m.Binds = make([]Bind, n)
	}
	for i := range m.Binds {
		b := &m.Binds[i]
		c.text("bind's name", &b.Name, MaxWord)
		c.text("bind's root", &b.Root, MaxPath)
		c.text("bind's path", &b.Path, MaxPath)
		c.flag(&b.Writable)
	}
	return m
}

func (m Kill) code(c coder) Message {
	c.uint64(&m.ID)
	c.uint32(&m.Signal)
	return m
}

func (m Ready) code(c coder) Message {
	c.uint32(&m.Version)
	c.text("tier", &m.Tier, MaxWord)
	c.text("why", &m.Why, MaxText)
	c.text("limits", &m.Limits, MaxText)
	c.uint32(&m.From)
	c.uint32(&m.To)
	return m
}

func (m Started) code(c coder) Message {
	c.uint64(&m.ID)
	c.uint32(&m.PID)
	return m
}

func (m Refused) code(c coder) Message {
	c.uint64(&m.ID)
	c.text("reason", &m.Reason, MaxText)
	c.flag(&m.Shortage)
	return m
}

func (m Exited) code(c coder) Message {
	c.uint64(&m.ID)
	c.uint32(&m.PID)
	c.uint32(&m.Status)
	return m
}

func (m LimitHit) code(c coder) Message {
	c.uint64(&m.ID)
	c.text("kind", &m.Kind, MaxWord)
	c.uint64(&m.Limit)
	c.uint32(&m.Times)
	return m
}
