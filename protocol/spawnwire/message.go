package spawnwire

import "fmt"

// Message is one of Spawn, Kill, Ready, Started, Refused, LimitHit and Exited.
type Message interface {
	kind() kind
	append(*writer)
}

// Spawn asks for a worker. It carries two descriptors: the worker's end of the socketpair, and the pipe that becomes
// its standard error.
type Spawn struct {
	ID      uint64
	UID     uint32 // the account that it runs as; 0 is the spawner's own, or where that is root, a refusal
	GID     uint32
	Root    string // absolute path of a folder that homes lie in
	Path    string // the home, relative to Root and beneath it; "." is Root itself
	Profile string // which walls: see worker/sandbox
	Memory  uint64 // bytes, of the worker and all that it runs; 0 is the spawner's own limit
	PIDs    uint32 // processes and threads of it; 0 is the spawner's own limit
	Binds   []Bind // what else it sees, at most MaxBinds
}

// Bind is a folder besides the home that a worker sees.
type Bind struct {
	Name     string // beneath /workspaces; "": at its own path, for reading
	Root     string // absolute
	Path     string // relative to Root and beneath it
	Writable bool
}

// Kill asks for a signal to a worker: SIGTERM to its process, or SIGKILL to that and all of its process group. One for
// a worker that has ended is ignored, because it may have crossed with its exited.
type Kill struct {
	ID     uint64
	Signal uint32
}

// Ready is the spawner's first message.
type Ready struct {
	Version uint32
	Tier    string // the walls that workers get
	Why     string // a sentence about them, for people
	Limits  string // a sentence about what limits what a worker and all that it runs have together
}

// Started answers a Spawn.
type Started struct {
	ID  uint64
	PID uint32
}

// Refused answers a Spawn that did not become a worker.
type Refused struct {
	ID     uint64
	Reason string
}

// LimitHit says that a limit has ended or refused something of a worker, which goes on.
type LimitHit struct {
	ID    uint64
	Kind  string // which: memory, pids
	Limit uint64 // the limit: bytes, or processes
	Times uint32 // since it was last said
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

// decoders is every message that there is.
var decoders = map[kind]func(*reader) Message{
	kindSpawn:    func(r *reader) Message { return readSpawn(r) },
	kindKill:     func(r *reader) Message { return Kill{ID: r.uint64(), Signal: r.uint32()} },
	kindReady:    func(r *reader) Message { return Ready{r.uint32(), r.text(MaxWord), r.text(MaxText), r.text(MaxText)} },
	kindStarted:  func(r *reader) Message { return Started{ID: r.uint64(), PID: r.uint32()} },
	kindRefused:  func(r *reader) Message { return Refused{ID: r.uint64(), Reason: r.text(MaxText)} },
	kindExited:   func(r *reader) Message { return Exited{r.uint64(), r.uint32(), r.uint32()} },
	kindLimitHit: func(r *reader) Message { return LimitHit{r.uint64(), r.text(MaxWord), r.uint64(), r.uint32()} },
}

func readSpawn(r *reader) Spawn {
	return Spawn{
		ID: r.uint64(), UID: r.uint32(), GID: r.uint32(),
		Root: r.text(MaxPath), Path: r.text(MaxPath), Profile: r.text(MaxWord),
		Memory: r.uint64(), PIDs: r.uint32(), Binds: readBinds(r),
	}
}

func readBinds(r *reader) []Bind {
	n := int(r.uint32())
	if r.err == nil && n > MaxBinds {
		r.err = fmt.Errorf("%d binds, at most %d are allowed", n, MaxBinds)
	}
	var list []Bind
	for range n {
		if r.err != nil {
			return nil
		}
		list = append(list, Bind{r.text(MaxWord), r.text(MaxPath), r.text(MaxPath), r.flag()})
	}
	return list
}

func (Spawn) kind() kind    { return kindSpawn }
func (Kill) kind() kind     { return kindKill }
func (Ready) kind() kind    { return kindReady }
func (Started) kind() kind  { return kindStarted }
func (Refused) kind() kind  { return kindRefused }
func (Exited) kind() kind   { return kindExited }
func (LimitHit) kind() kind { return kindLimitHit }

func (m Spawn) append(w *writer) {
	w.uint64(m.ID)
	w.uint32(m.UID)
	w.uint32(m.GID)
	w.text("root", m.Root, MaxPath)
	w.text("path", m.Path, MaxPath)
	w.text("profile", m.Profile, MaxWord)
	w.uint64(m.Memory)
	w.uint32(m.PIDs)
	if len(m.Binds) > MaxBinds && w.err == nil {
		w.err = fmt.Errorf("%d binds, at most %d are allowed", len(m.Binds), MaxBinds)
	}
	w.uint32(uint32(len(m.Binds)))
	for _, b := range m.Binds {
		w.text("bind's name", b.Name, MaxWord)
		w.text("bind's root", b.Root, MaxPath)
		w.text("bind's path", b.Path, MaxPath)
		w.flag(b.Writable)
	}
}

func (m Kill) append(w *writer) {
	w.uint64(m.ID)
	w.uint32(m.Signal)
}

func (m Ready) append(w *writer) {
	w.uint32(m.Version)
	w.text("tier", m.Tier, MaxWord)
	w.text("why", m.Why, MaxText)
	w.text("limits", m.Limits, MaxText)
}

func (m Started) append(w *writer) {
	w.uint64(m.ID)
	w.uint32(m.PID)
}

func (m Refused) append(w *writer) {
	w.uint64(m.ID)
	w.text("reason", m.Reason, MaxText)
}

func (m Exited) append(w *writer) {
	w.uint64(m.ID)
	w.uint32(m.PID)
	w.uint32(m.Status)
}

func (m LimitHit) append(w *writer) {
	w.uint64(m.ID)
	w.text("limit", m.Kind, MaxWord)
	w.uint64(m.Limit)
	w.uint32(m.Times)
}
