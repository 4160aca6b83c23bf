package config

import (
	"time"
)

// Limits limits turns.
type Limits struct {
	Steps int `yaml:"steps" default:"50" min:"1" max:"1000"` // maximum number of calls of models
	// maximum time from a turn's start to its end
	Turn time.Duration `yaml:"turn" default:"15m" min:"1s" max:"24h"`
	// maximum tokens of earlier messages in a request
	History int `yaml:"history" default:"32000" min:"1000" max:"10000000"`
	// Maximum size of a tool's output that the model sees. Escaped, the output must fit into one
	// line of the wire protocol.
	Output Size `yaml:"output" default:"16KiB" min:"1KiB" max:"128KiB"`

	// maximum of concurrent turns of jobs, of all users together
	Jobs int `yaml:"jobs" default:"2" min:"1" max:"64"`
	// maximum of concurrent turns, of all users together
	Turns int `yaml:"turns" default:"8" min:"1" max:"256"`
	// maximum of concurrent calls of models, of all users together
	ModelCalls int `yaml:"model_calls" default:"8" min:"1" max:"256"`
	// maximum of concurrent transcriptions, of all users together
	Speech int `yaml:"speech" default:"1" min:"1" max:"64"`
}

// Access configures the second factor, and how many messages users may send.
type Access struct {
	// After a valid code, a chat stays open until it has been silent for the time Session. It never
	// stays open longer than SessionMax.
	Session    time.Duration `yaml:"session" default:"30m" min:"1m" max:"168h"`
	SessionMax time.Duration `yaml:"session_max" default:"12h" min:"1m" max:"720h" check:"session_max"`
	Rate       ReceiveRate   `yaml:"rate"`
	// Path of the sealing key's file, as written in the configuration; "" means that the service
	// makes its own key. With another key, sealed secrets can't be read.
	KeyFile string `yaml:"key_file" holds:"Key" form:"key" reload:"restart"`

	Key Secret // content of KeyFile: 32 bytes; empty without KeyFile; not a key of the configuration file
}

// ReceiveRate limits the messages of one user.
type ReceiveRate struct {
	Burst  int     `yaml:"burst" default:"20" min:"1" max:"1000"`   // maximum number of messages at once
	Second float64 `yaml:"second" default:"1" min:"0.01" max:"100"` // messages per second after Burst messages at once
}

// TOTPPolicy says whether users need a second factor (TOTP).
type TOTPPolicy string

// Budget limits the cost of models.
type Budget struct {
	Month Dollars `yaml:"month"` // limit of all users together for a calendar month
	// limits of users without limits of their own; already copied into each User
	Users SpendLimits `yaml:"users"`
}

// SpendLimits limits the cost of models for one user. 0 means no limit.
type SpendLimits struct {
	Turn  Dollars `yaml:"turn"`  // limit for one turn
	Day   Dollars `yaml:"day"`   // limit for a day in the user's time zone
	Month Dollars `yaml:"month"` // limit for a calendar month in the user's time zone
	// amount that users may add to their own daily limit when Mews asks them; 0 means none
	Extend Dollars   `yaml:"extend"`
	Jobs   JobBudget `yaml:"jobs"` // limits of the user's jobs, within the limits above
}

// JobBudget limits the cost of models for a user's jobs. 0 means no limit.
type JobBudget struct {
	Run   Dollars `yaml:"run" default:"0.10"` // limit for one fire with all its retries
	Day   Dollars `yaml:"day" default:"0.50"`
	Month Dollars `yaml:"month" default:"5"`
}

// Approvals says which effects need approval.
type Approvals struct {
	All   EffectRules `yaml:"all" check:"rules"`   // rules of all users
	Admin EffectRules `yaml:"admin" check:"rules"` // rules of admins; each replaces the rule of All for its effect
	// rules of other users; each replaces the rule of All for its effect
	User EffectRules `yaml:"user" check:"rules"`
	// rules of all users while words of others are before the model; the stricter of such a rule
	// and the rule above holds
	Tainted EffectRules `yaml:"tainted" check:"rules"`
}

// EffectRules maps the name of an effect to allow, ask, step_up or deny.
type EffectRules map[string]string

// User is a user. Files, Budget and ModelsAllowed are complete: the general value stands in for a
// missing one.
type User struct {
	Name string `yaml:"name"` // name of the user, unique
	// role of the user; admins may administrate the service
	Role string `yaml:"role" default:"user" oneof:"admin user"`
	// OS account, unique; "" means the service's own
	Account string `yaml:"account" check:"account" reload:"restart"`
	// absolute path of the user's home; homes must not overlap
	Home string `yaml:"home" reload:"restart"`
	// IANA name of the user's time zone; "" means the machine's zone
	Timezone string `yaml:"timezone" check:"timezone"`
	// user's numeric id on Telegram, unique; 0 means none
	Telegram int64 `yaml:"telegram"`
	// user's login on GitHub, unique even if case is ignored; "" means none
	GitHub string `yaml:"github" check:"github_login"`
	// model for the user's turns, named as in Models; "" means Models.Default
	Model string `yaml:"model" check:"model"`
	// Folders besides the home that the user's worker may change: absolute paths. The worker sees
	// them as /workspaces/NAME.
	Workspaces []string  `yaml:"workspaces" check:"folders" reload:"restart"`
	Files      FileRules `yaml:"files"`
	// days to keep the history; 0 means forever
	History int `yaml:"history" min:"0" max:"36500"`

	TOTP      TOTPPolicy  `yaml:"totp" default:"optional"`
	Budget    SpendLimits `yaml:"budget"`
	Approvals EffectRules `yaml:"approvals" check:"rules"`
	// globs of models that the user may choose; empty means all
	ModelsAllowed []string `yaml:"models_allowed" check:"model_globs"`
}

// FileRules restricts the file tools, by doublestar globs of paths below the user's home. An empty
// list sets no restriction.
type FileRules struct {
	Include []string `yaml:"include" check:"globs"` // globs of the only visible files; empty means all files
	Exclude []string `yaml:"exclude" check:"globs"` // globs of files that are never visible, even if Include has them
	// globs of files to which the tools may only append; new files may be created
	AppendOnly []string `yaml:"append_only" check:"globs"`
}
