package protocol

// Version is the version of the wire. Both sides must have the same version; there is no
// negotiation, because the three binaries are built and installed together.
const Version = 10

// MethodHello is the supervisor's first call on a new connection. A worker answers nothing else
// before it.
const MethodHello = "hello"

// Hello tells a worker its user. It holds no secret.
type Hello struct {
	Version int    `json:"version"`
	User    string `json:"user"` // the user's name, as the assistant may say it
	// the user's home as the worker sees it; "" means a worker without home and tools
	Home     string     `json:"home"`
	Timezone string     `json:"timezone"` // IANA name of the user's time zone; "" means the machine's
	Files    FilePolicy `json:"files"`
	Disk     int64      `json:"disk,omitempty"` // bytes that the home may hold; 0 means no limit
	// number of files and folders that the home may hold; 0 means no limit
	DiskFiles int64 `json:"disk_files,omitempty"`
	// days for which received files stay in uploads/; 0 means forever
	Uploads int `json:"uploads,omitempty"`
	// History limits the home's file history; nil means that none is kept.
	History *FileHistoryLimits `json:"history,omitempty"`
}

// FileHistoryLimits limit the file history of a home.
type FileHistoryLimits struct {
	Room    int64    `json:"room"`              // bytes that the history may have, above 0
	Exclude []string `json:"exclude,omitempty"` // globs of files that are not kept, as in FilePolicy
}

// FilePolicy restricts the file tools by globs. The globs match slash-separated paths relative to
// the workspace (doublestar syntax). The zero value allows everything.
type FilePolicy struct {
	Include []string `json:"include,omitempty"` // globs of the visible files; empty means all
	Exclude []string `json:"exclude,omitempty"` // globs of hidden files, even if Include matches them
	// globs of files that may be created and appended to, but not changed otherwise
	AppendOnly []string `json:"append_only,omitempty"`
}

// HelloResult is the worker's answer.
type HelloResult struct {
	Version int    `json:"version"`
	Build   string `json:"build"` // the worker's build, for the log
	Tools   []Tool `json:"tools"` // the worker's tools, in the form that ValidateTools demands
}

// MethodPing asks whether the other side still reads. The other side answers at once, even if it is
// busy. No parameters, no result.
const MethodPing = "ping"

// MethodStop asks a worker to end. The worker cancels its turns and operations, answers, and exits.
// No parameters, no result.
const MethodStop = "stop"
