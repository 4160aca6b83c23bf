package api

import (
	"time"

	"mews/supervisor/pool"
)

// MethodStatus is what the control socket answers with a Status; anybody with an account may ask.
const MethodStatus = "status"

// Status is what `mews status` prints.
type Status struct {
	Version  string           `json:"version"`
	PID      int              `json:"pid"`
	Since    time.Time        `json:"since"`
	State    string           `json:"state,omitempty"` // the state folder; for an admin
	Model    string           `json:"model"`
	Walls    pool.Sandbox     `json:"walls"`
	Users    []UserStatus     `json:"users"`              // for an admin all, else the asking one
	Waiting  Waiting          `json:"waiting,omitzero"`   // for an admin
	Channels []Channel        `json:"channels,omitempty"` // beside the terminal; for an admin
	Lost     []LostDeliveries `json:"lost,omitempty"`     // for an admin
	Memory   Memory           `json:"memory,omitzero"`    // for an admin
	// why people share an account; for an admin
	Sharing string `json:"sharing,omitempty"`
}

// UserStatus is one person's part of the status.
type UserStatus struct {
	Name   string    `json:"name"`
	Home   string    `json:"home"`
	Worker string    `json:"worker"` // the worker's state
	PID    int       `json:"pid,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Turns  int       `json:"turns"`
	Deaths int       `json:"deaths"`

	// the command that gives their home to a uid of their own
	HandOver string `json:"hand_over,omitempty"`
	// their worker has an account that is not theirs alone
	Shares  bool   `json:"shares,omitempty"`
	Refused string `json:"refused,omitempty"` // why their worker can't be started

	// bytes that their worker and all it runs have; 0: it is not known
	Memory    int64 `json:"memory,omitempty"`
	Processes int   `json:"processes,omitempty"` // how many those are

	// bytes that the home holds; 0: no worker of theirs has told
	Disk      int64 `json:"disk,omitempty"`
	DiskMore  bool  `json:"disk_more,omitempty"`  // it holds more than that
	DiskLimit int64 `json:"disk_limit,omitempty"` // bytes that it may hold; 0: no limit

	Index HomeIndex `json:"index,omitzero"` // zero: it is not known
}

// HomeIndex counts what can be searched of a home, and what can't, by the reason.
type HomeIndex struct {
	Files      int   `json:"files"`
	Sections   int   `json:"sections"`
	Bytes      int64 `json:"bytes"`            // of the files
	Unread     bool  `json:"unread,omitempty"` // the home has not been read to its end yet
	Large      int   `json:"large,omitempty"`  // files that are too large to be searched
	NotText    int   `json:"not_text,omitempty"`
	Unreadable int   `json:"unreadable,omitempty"`
	Excess     int   `json:"excess,omitempty"` // beyond the number of files that can be searched
}

// Waiting counts what is not done yet.
type Waiting struct {
	New        int `json:"new"`              // messages not begun
	Running    int `json:"running"`          // messages whose turn runs
	Asking     int `json:"asking,omitempty"` // turns that wait for an answer of their person's
	Deliveries int `json:"deliveries"`       // answers that nobody has taken
	Parked     int `json:"parked"`           // messages given up on
}

// Channel is the state of a channel.
type Channel struct {
	Name      string    `json:"name"`  // telegram
	Mode      string    `json:"mode"`  // polling, webhook
	Bot       string    `json:"bot"`   // its @name, once it is known
	State     string    `json:"state"` // starting, ok, failing
	Since     time.Time `json:"since"`
	Completed time.Time `json:"completed,omitzero"` // when the channel last answered
	Failures  int       `json:"failures,omitempty"` // in a row
	Error     string    `json:"error,omitempty"`
	// updates that the channel has and could not hand over, where it says so
	Pending int      `json:"pending,omitempty"`
	Frozen  []Frozen `json:"frozen,omitempty"`
	Stuck   []Stuck  `json:"stuck,omitempty"`
}

// Stuck is a chat to which nothing can be sent.
type Stuck struct {
	Chat  string    `json:"chat"`
	Error string    `json:"error"`
	Since time.Time `json:"since"`
}

// Frozen is a chat for which the channel takes nothing for a while.
type Frozen struct {
	Chat  string    `json:"chat"` // "" is everywhere
	Until time.Time `json:"until"`
}

// LostDeliveries are messages to one chat that did not arrive for certain.
type LostDeliveries struct {
	User    string    `json:"user"`
	Channel string    `json:"channel"`
	Chat    string    `json:"chat"`
	Outcome string    `json:"outcome"` // unknown, failed
	Why     string    `json:"why"`
	Count   int       `json:"count"`
	Last    time.Time `json:"last"`
}

// Memory is what the processes take, in bytes.
type Memory struct {
	Supervisor int64 `json:"supervisor"` // its own: heap, stacks and pages that were written to
	Resident   int64 `json:"resident"`   // the supervisor's, with the pages of its program
	Database   int64 `json:"database"`   // on disk
}
