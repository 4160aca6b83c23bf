// Package config reads the configuration: its keys, defaults, and all checks that need only the
// file and the environment. A returned Config is complete: defaults are filled in, secrets are
// read, and each value is checked.
//
// It is strict. An unknown or duplicate key, a wrong type, or a value out of its bounds is a
// Problem with its line. All problems are reported at once. Only cmd/mews and supervisor/app import
// this package. They copy the values into the options of each part.
//
// A new key is a field here and a line in deploy/mews.example.yaml. These are the tags of a field:
//
//	yaml      the name of the key
//	default   its default, written as in the file; on a struct: of each key below
//	oneof     the allowed words
//	min, max  its bounds, written as in the file
//	zero      the meaning of zero, which the bounds then allow
//	check     a check in code, by its name in checks
//	holds     the field that gets the content of the file that the key names
//	unset     "empty": an environment variable that is not set, or a missing file, means no value
//	form      the format of that file: "key" is 32 bytes, "pem" a private key; without it: a line
//	reload    "live": a change takes effect at once; "restart", or no tag: after a restart. On a struct: for each key below
package config

import (
	"time"
)

// Config is the content of the configuration file. Fields without a yaml tag are not in the file,
// and come last in their struct.
type Config struct {
	// absolute path of the supervisor's own folder
	State string `yaml:"state" check:"state"`
	// SocketGroup is the OS group that may use the control socket, besides the service's account;
	// "" means that account's own group.
	SocketGroup string `yaml:"socket_group" check:"account"`

	// Listen is the address for programs on this machine: an IP address or localhost, and a port;
	// "" means none
	Listen string `yaml:"listen" default:"127.0.0.1:8321" check:"private_listen"`

	Metrics  Metrics       `yaml:"metrics"`
	Alarms   Alarms        `yaml:"alarms"`
	Webhooks WebhookServer `yaml:"webhooks"`
	Log      Log           `yaml:"log"`
	Telegram Telegram      `yaml:"telegram"`
	Models   Models        `yaml:"models"`
	Worker   Worker        `yaml:"worker"`
	Chat     Chat          `yaml:"chat"`
	Speech   Speech        `yaml:"speech"`
	Web      Web           `yaml:"web"`
	Uploads  Uploads       `yaml:"uploads"`
	History  FileHistory   `yaml:"history"`
	Update   Update        `yaml:"update"`
	Limits   Limits        `yaml:"limits"`
	Backup   Backup        `yaml:"backup" check:"backup"`

	Access    Access    `yaml:"access" reload:"live"`
	Budget    Budget    `yaml:"budget" reload:"live"`
	Approvals Approvals `yaml:"approvals" reload:"live"`

	Users []User `yaml:"users" check:"users" reload:"live"` // users of Mews, at least one
	// rules for users without Files of their own; already copied into each User
	Files FileRules `yaml:"files" reload:"live"`

	GitHub GitHub          `yaml:"github"`
	Hooks  map[string]Hook `yaml:"hooks" check:"hooks"` // hooks by the last part of their path

	Services map[string]Service `yaml:"services" check:"services" reload:"live"` // services by name

	Calendars map[string]Calendar `yaml:"calendars" check:"calendars" reload:"live"` // calendars of others by name

	Local       bool     // true if there was no file
	File        string   // absolute path of the file; "" with Local
	Client      bool     // true if the configuration was read without the secrets that this account may not read
	SecretFiles []string // absolute paths of the files with secrets that were read
	// names of the environment variables that hold secrets, by the paths of their keys
	SecretVariables map[string]string
	// hints about environment variables that are unused or lack another one, for the person who
	// starts Mews; whole sentences
	Hints []string

	// Warnings is an *ErrorList of problems that do not prevent a start. nil means that there are
	// none.
	Warnings error
}

// WebhookServer configures the server that receives calls from other programs.
type WebhookServer struct {
	Listen string `yaml:"listen" check:"listen"` // IP address or localhost, and a port; "" means none
}

// Update configures updates from releases.
type Update struct {
	// https address or absolute path of the folder with the index of releases; "" means no updates
	Feed string `yaml:"feed" check:"feed"`
	// look for a release once a day, at a random minute, and install it
	Daily bool `yaml:"daily"`
}

// Log configures the service's log.
type Log struct {
	Level  string `yaml:"level" default:"info" oneof:"trace debug info warn error"`
	Format string `yaml:"format" default:"json" oneof:"json text"`
	// at level debug, log requests to models and their answers too
	Payloads bool `yaml:"payloads"`
}

// Worker configures the workers' processes.
type Worker struct {
	// The isolation of workers. auto means the best isolation that the system offers. If the system
	// lacks SandboxMin, the service does not start.
	Sandbox    string `yaml:"sandbox" default:"auto" oneof:"auto accounts namespaces landlock off"`
	SandboxMin string `yaml:"sandbox_min" default:"namespaces" oneof:"accounts namespaces landlock off"`
	// OS account for workers of users without their own account; only used if the service runs as
	// root.
	Account string `yaml:"account" default:"mews"`
	// Uids for workers of users without their own account, used instead of Account: a free range of
	// the host, AutomaticUIDs, or "" for none. See UIDRange.
	UIDs string `yaml:"uids" default:"auto" check:"uids"`

	// Memory and PIDs limit a worker with all its processes: the bytes of memory, and the number of
	// processes and threads. Disk and DiskFiles limit the user's home: its bytes, and its number of
	// files and folders.
	Memory Size `yaml:"memory" default:"1GiB" min:"64MiB" max:"1024GiB"`
	PIDs   int  `yaml:"pids" default:"256" min:"32" max:"65536"`
	Disk   Size `yaml:"disk" default:"10GiB" min:"1MiB" zero:"no limit"`
	// maximum number of files and folders in the home; 0 means no limit
	DiskFiles int64 `yaml:"disk_files" default:"1000000" min:"0" max:"1000000000"`

	// History limits the file history of a user's home, in bytes; 0 means no history. It is kept
	// beside the home, and does not count towards Disk.
	History Size `yaml:"history" default:"2GiB" min:"64MiB" zero:"no history"`
	// absolute path of the folder of all file histories; "" means the folder homes in State
	HistoryDir string `yaml:"history_dir" check:"history_dir"`

	// absolute paths of folders that every worker may read
	ReadOnly []string `yaml:"read_only" check:"folders"`
	// time without a turn after which a worker is ended
	Idle time.Duration `yaml:"idle" default:"30m" min:"1s" max:"168h"`
}

// Uploads configures the files that users send.
type Uploads struct {
	Keep int `yaml:"keep" min:"0" max:"36500"` // days to keep uploads; 0 means forever
}

// Backup configures the backups that the service makes by itself.
type Backup struct {
	// absolute path of the folder of all backups; "" means the folder backups in State
	Dir string `yaml:"dir"`
	// absolute path of a folder on another disk that gets each backup as one file; "" means none
	To string `yaml:"to"`
	// age recipient that seals what leaves the disk, and the homes of other OS accounts; "" means
	// none
	Recipient string `yaml:"recipient"`
	Plain     bool   `yaml:"plain"` // backups may leave the disk without being sealed
	// greatest share of the disk for all backups, in percent
	Most int `yaml:"most" default:"20" min:"1" max:"90"`

	On bool // whether the file has this section
}

// FileHistory configures the file histories of all homes.
type FileHistory struct {
	Exclude []string `yaml:"exclude" check:"globs"` // globs of files whose earlier versions are not kept
}

// Chat configures conversations.
type Chat struct {
	// how answers appear on channels that can edit messages: StreamModeEdit or StreamModeFinal
	Stream string `yaml:"stream" default:"edit" oneof:"edit final"`
	Busy   string `yaml:"busy" default:"steer" oneof:"steer queue restart"`
	// Reactions chooses the messages of users that get an emoji, if the channel can do that.
	Reactions string `yaml:"reactions" default:"waiting" oneof:"waiting all off"`
	// whether Mews checks what an answer claims to have done
	Claims string `yaml:"claims" default:"check" oneof:"check off"`
	// Question is how long a question is open after its delivery.
	Question time.Duration `yaml:"question" default:"24h" min:"1m" max:"168h"`
}

// Values of Chat.Stream: when an answer appears on a channel that can edit messages.
const (
	StreamModeEdit  = "edit"  // the answer grows while the model writes
	StreamModeFinal = "final" // the answer appears when it is complete
)

// Values of Chat.Busy: how to handle a message that comes while a turn runs.
const (
	BusyModeSteer   = "steer"   // the running turn reads the message
	BusyModeQueue   = "queue"   // the message gets its own turn afterwards
	BusyModeRestart = "restart" // the message stops the running turn, and gets its own turn
)

// ClaimsModeCheck is the value of Chat.Claims that checks answers. If an answer makes unproved
// claims, a warning is added below it.
const ClaimsModeCheck = "check"

// Values of TOTPPolicy: who needs a second factor.
const (
	TOTPRequired TOTPPolicy = "required" // every user needs a second factor: a user who has not enrolled is locked out
	TOTPOptional TOTPPolicy = "optional" // a user needs a second factor once they have enrolled
	TOTPOff      TOTPPolicy = "off"      // no user needs a second factor
)
