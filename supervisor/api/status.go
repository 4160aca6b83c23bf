package api

import (
	"time"

	"mews/supervisor"
	"mews/supervisor/pool"
)

// MethodStatus is the method of the control socket that returns a Status. Every user may call it.
const MethodStatus = "status"

// Status is the output of `mews status`.
type Status struct {
	Version  string           `json:"version"`
	PID      int              `json:"pid"`
	Since    time.Time        `json:"since"`
	State    string           `json:"state,omitempty"` // the state folder; only for an admin
	Model    string           `json:"model"`
	Walls    pool.Sandbox     `json:"walls"`
	Users    []UserStatus     `json:"users"`              // all users for an admin, otherwise the caller
	Waiting  UnfinishedWork   `json:"waiting,omitzero"`   // unfinished work; only for an admin
	Jobs     UpcomingJobs     `json:"jobs,omitzero"`      // upcoming jobs of all users; only for an admin
	Channels []ChannelStatus  `json:"channels,omitempty"` // channels other than the terminal; only for an admin
	Lost     []LostDeliveries `json:"lost,omitempty"`     // messages that may be lost; only for an admin
	Memory   MemoryUse        `json:"memory,omitzero"`    // memory of the processes; only for an admin
	// Sharing says why users share a Unix account; only for an admin.
	Sharing string `json:"sharing,omitempty"`
	// Listen is the address of the private listener, or why it is off; only for an admin.
	Listen string `json:"listen,omitempty"`
	// Faults are the reasons why the service is not ready, in words; only for an admin.
	Faults []string `json:"faults,omitempty"`
	Alarms []string `json:"alarms,omitempty"` // names of the raised alarms; only for an admin
}

// UserStatus is the part of the status about one user.
type UserStatus struct {
	Name   string    `json:"name"`
	Home   string    `json:"home"`
	Worker string    `json:"worker"` // the state of the user's worker
	PID    int       `json:"pid,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Turns  int       `json:"turns"`
	Deaths int       `json:"deaths"`

	// HandOver is the command that gives the user's home to the user's own Unix user id.
	HandOver string `json:"hand_over,omitempty"`
	// Shares means that other users' workers use the same Unix account.
	Shares  bool   `json:"shares,omitempty"`
	Refused string `json:"refused,omitempty"` // why the user's worker can't start

	// Memory is the memory of the user's worker and its programs in bytes; 0 means not known.
	Memory    int64 `json:"memory,omitempty"`
	Processes int   `json:"processes,omitempty"` // the number of the worker's processes

	// Disk is the size of the home in bytes; 0 means that no worker has reported it.
	Disk      int64 `json:"disk,omitempty"`
	DiskMore  bool  `json:"disk_more,omitempty"`  // the home is larger than Disk
	DiskLimit int64 `json:"disk_limit,omitempty"` // the limit of the home in bytes; 0 means no limit

	Index HomeIndexCounts `json:"index,omitzero"` // the search index of the home; zero means not known

	// FileHistory is the size of the home's file history; nil means not known.
	FileHistory *supervisor.FileHistorySize `json:"file_history,omitempty"`
}

// HomeIndexCounts counts the searchable files of a home, and the other files by reason.
type HomeIndexCounts struct {
	Files      int   `json:"files"`
	Sections   int   `json:"sections"`
	Bytes      int64 `json:"bytes"`            // the size of the searchable files
	Unread     bool  `json:"unread,omitempty"` // the home has not been scanned to its end yet
	Large      int   `json:"large,omitempty"`  // the number of files that are too large to search
	NotText    int   `json:"not_text,omitempty"`
	Unreadable int   `json:"unreadable,omitempty"`
	Excess     int   `json:"excess,omitempty"` // the number of files beyond the limit of searchable files
}

// UnfinishedWork counts unfinished work.
type UnfinishedWork struct {
	New        int `json:"new"`              // messages whose turn has not begun
	Running    int `json:"running"`          // messages with a running turn
	Asking     int `json:"asking,omitempty"` // turns that wait for an answer of their user
	Deliveries int `json:"deliveries"`       // answers that have not been delivered
	Parked     int `json:"parked"`           // parked messages
}

// UpcomingJobs are all users' reminders, tasks and checks that have a next time.
type UpcomingJobs struct {
	Count int       `json:"count"`
	Next  time.Time `json:"next"`
}

// ChannelStatus is the state of a channel.
type ChannelStatus struct {
	Name      string    `json:"name"`  // name of the channel, such as telegram
	Mode      string    `json:"mode"`  // polling or webhook
	Bot       string    `json:"bot"`   // the bot's @name; "" until it is known
	State     string    `json:"state"` // starting, ok or failing
	Since     time.Time `json:"since"`
	Completed time.Time `json:"completed,omitzero"` // the time of the channel's last response
	Failures  int       `json:"failures,omitempty"` // the number of failures in a row
	Error     string    `json:"error,omitempty"`
	// Pending is the number of updates that the channel could not deliver to Mews, if the channel
	// reports it.
	Pending int             `json:"pending,omitempty"`
	Frozen  []ThrottledChat `json:"frozen,omitempty"`
	Stuck   []StuckChat     `json:"stuck,omitempty"`
}

// StuckChat is a chat that rejects every message.
type StuckChat struct {
	Chat  string    `json:"chat"`
	Error string    `json:"error"`
	Since time.Time `json:"since"`
}

// ThrottledChat is a chat to which Mews sends nothing for a while. The channel demands that pause.
type ThrottledChat struct {
	Chat  string    `json:"chat"` // the throttled chat; "" means all chats
	Until time.Time `json:"until"`
}

// LostDeliveries are messages to one chat that may not have arrived.
type LostDeliveries struct {
	User    string    `json:"user"`
	Channel string    `json:"channel"`
	Chat    string    `json:"chat"`
	Outcome string    `json:"outcome"` // the messages' outcome: unknown or failed
	Why     string    `json:"why"`
	Count   int       `json:"count"`
	Last    time.Time `json:"last"`
}

// MemoryUse is the memory and disk use of Mews, in bytes.
type MemoryUse struct {
	Supervisor int64 `json:"supervisor"` // the memory of the supervisor alone: heap, stacks and changed pages
	Resident   int64 `json:"resident"`   // the resident memory of the supervisor, including its program
	Database   int64 `json:"database"`   // the size of the database on disk
}
