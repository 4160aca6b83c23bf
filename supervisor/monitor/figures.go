package monitor

import "time"

// Figures is what /metrics shows. It has no words of users. Only People has names of users.
type Figures struct {
	Version string // version of the programs
	Walls   string // tier of the sandbox
	Started time.Time
	Ready   bool
	Loops   []Loop
	Alarms  map[string]bool // whether each alarm of the table is raised, by its name

	Telegram    *Telegram      // nil means that Telegram is not configured
	ClockOffset *time.Duration // how much this machine's clock is ahead of Telegram's; nil means not known

	Messages Messages
	Workers  map[string]int // number of workers by state
	Deaths   int            // workers that ended unexpectedly since the start
	Turns    int            // turns that ended since the start
	Memory   int64          // bytes of memory of all workers with their programs
	Programs int            // processes of all workers

	Disk     Disk
	Database int64 // bytes of the database
	Process  Process
	People   []Person // users by name; nil if names are not shown
	Users    int      // number of users
}

// Loop is a loop of the service that is pinged.
type Loop struct {
	Name  string
	Moved time.Time // time of its last answer to a ping; zero means none yet
	Stuck bool
}

// Telegram is the state of the connection to Telegram.
type Telegram struct {
	Mode             string // polling or webhook
	OK               bool
	Answered         time.Time // time of Telegram's last answer to a poll or call of the webhook; zero means none
	Failures         int       // failures in a row
	Stalls           int       // polls that ended by their deadline
	Pending          int       // updates that wait at Telegram
	Troubled, Frozen int       // chats to which sending fails, or for which Telegram demands a pause
}

// Messages counts messages, deliveries, turns and calls of models.
type Messages struct {
	New, Held       int // messages that wait for their turn, or for a code
	Running, Asking int // turns that run, and those of them that wait for their user
	Lost            int // deliveries that may not have arrived
	Waiting         []Waiting
	Calls, Failed   int     // calls of models in the last hour, and those that failed
	Cost            float64 // cost of those calls in US dollars
}

// Waiting counts the deliveries that wait on one channel.
type Waiting struct {
	Channel string
	Count   int
	Oldest  time.Time
}

// Disk is the room on the disk of the state folder, in bytes.
type Disk struct{ Free, Total, Reserve int64 }

// Process is what the supervisor uses.
type Process struct {
	Private, Resident    int64 // bytes of memory: its own pages, and all
	OpenFiles, FileLimit int
	CPU                  time.Duration // processor time since the start
	Goroutines           int
	Available            int64 // bytes of memory that the machine has left
}

// Person is a user with figures of their own.
type Person struct {
	Name         string
	Memory, Home int64 // bytes of the worker with its programs, and of the home
}
