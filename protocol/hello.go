package protocol

// Version is the version of the wire. Both sides must have the same one; there is no negotiation,
// because the three binaries are built and installed together.
const Version = 7

// MethodHello is the supervisor's first call on a new connection. A worker answers nothing else
// before it.
const MethodHello = "hello"

// Hello tells a worker who it works for. It holds no secret.
type Hello struct {
	Version int    `json:"version"`
	User    string `json:"user"` // the person's name, as the assistant may say it
	// the person's home as the worker sees it; "" of a worker that has none, and then no tool
	// either
	Home     string     `json:"home"`
	Timezone string     `json:"timezone"` // IANA name; "" is the machine's own
	Files    FilePolicy `json:"files"`
	Disk     int64      `json:"disk,omitempty"` // bytes that the home may hold; 0 is no limit
	// days for which what was received stays in uploads/; 0: for ever
	Uploads int `json:"uploads,omitempty"`
}

// FilePolicy narrows what the file tools touch, as globs over slash-separated paths relative to the
// workspace (doublestar syntax). The zero value allows everything.
type FilePolicy struct {
	Include []string `json:"include,omitempty"` // where given, only these are seen
	Exclude []string `json:"exclude,omitempty"` // never seen, and stronger than Include
	// may be created and appended to, never changed otherwise
	AppendOnly []string `json:"append_only,omitempty"`
}

// HelloResult is the worker's answer.
type HelloResult struct {
	Version int    `json:"version"`
	Build   string `json:"build"` // the worker's build, for the log
	Tools   []Tool `json:"tools"` // as CheckTools wants them
}

// MethodPing asks whether the other side still reads; it answers at once, whatever else it does. No
// parameters, no result.
const MethodPing = "ping"

// MethodStop asks a worker to end: it cancels its turns and operations, answers, and exits. No
// parameters, no result.
const MethodStop = "stop"
