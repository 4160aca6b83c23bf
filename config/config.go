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

import "time"

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

// Telegram configures the bot.
type Telegram struct {
	// token of the bot: the text in the configuration, or the content of TokenFile; "" turns
	// Telegram off
	Token Secret `yaml:"token" check:"token" reload:"live"`
	// path of the token's file, as written in the configuration
	TokenFile string `yaml:"token_file" holds:"Token" reload:"live"`
	APIURL    string `yaml:"api_url" default:"https://api.telegram.org" check:"bot_api"`
	// absolute path of the folder with a Bot API server's files; "" means none
	Files   string          `yaml:"files" check:"bot_files"`
	Webhook TelegramWebhook `yaml:"webhook" check:"webhook"`
	Rate    SendRate        `yaml:"rate"`
	// Ids of the groups that are allowed from the start. Each id is negative and occurs once.
	Groups []int64 `yaml:"groups" check:"groups" reload:"live"`
}

// TelegramWebhook lets Telegram call this machine. Without a URL, Mews polls Telegram (long
// polling).
type TelegramWebhook struct {
	// URL that Telegram calls: https, or http on this machine; the path is TelegramWebhookPath
	URL string `yaml:"url"`
	// secret of the webhook, required with a URL: the text in the configuration, or the content of
	// SecretFile
	Secret Secret `yaml:"secret" reload:"replaced"`
	// path of the secret's file, as written in the configuration
	SecretFile string `yaml:"secret_file" holds:"Secret" reload:"live"`
}

// TelegramWebhookPath is the path that Telegram calls at Webhooks.Listen.
const TelegramWebhookPath = "/webhook/telegram"

// SendRate limits the messages that Mews sends. An edit or a deletion counts as a message.
type SendRate struct {
	Chat  int `yaml:"chat" default:"1" min:"1" max:"30"`    // messages per second to one chat
	Group int `yaml:"group" default:"20" min:"1" max:"600"` // messages per minute to one group
	// messages per second to all chats together; Telegram sells at most 1000
	All int `yaml:"all" default:"30" min:"1" max:"1000"`
}

// Models configures the models. The name of a model is PROVIDER/MODEL or OfflineModel. A bare name
// means a model of the default's provider. A bare default means a model of the only provider.
type Models struct {
	Default string `yaml:"default" default:"offline" check:"default_model"`
	// cheaper model for minor work; "" means Default
	Small string `yaml:"small" check:"model"`
	// model that turns texts into vectors for the search; "" means that the search uses only words
	Embed string `yaml:"embed" check:"embed_model"`
	// models to try in this order if a model fails; no model is listed twice
	Fallback []string `yaml:"fallback" check:"fallback"`
	// globs of models that users may choose; already copied into each User
	Allowed  []string `yaml:"allowed" check:"model_globs" reload:"live"`
	Thinking string   `yaml:"thinking" default:"off" oneof:"off low medium high"`
	// cache time in words; the method CacheDuration returns its value
	Cache string `yaml:"cache" default:"5m" oneof:"1h 5m none"`

	// time without a byte after which a call of a model has failed
	Silence time.Duration `yaml:"silence" default:"1m" min:"1s" max:"1h"`
	// prices by model; they replace the built-in prices
	Prices    map[string]Price    `yaml:"prices" check:"prices" reload:"live"`
	Providers map[string]Provider `yaml:"providers" check:"providers"`
}

// Price is a model's price, in US dollars per million tokens. A price above the bound is a typo,
// such as the price of one token.
type Price struct {
	Input  float64 `yaml:"input" min:"0" max:"10000"`
	Output float64 `yaml:"output" min:"0" max:"10000"`
	// price of tokens that the provider reads from its cache; 0 means Input
	CacheRead float64 `yaml:"cache_read" min:"0" max:"10000"`
	// price of tokens that the provider writes to its cache; 0 means Input
	CacheWrite float64 `yaml:"cache_write" min:"0" max:"10000"`
	// price per minute of a recording; with this price, Input and Output are 0
	Minute float64 `yaml:"minute" min:"0" max:"100"`
}

// Provider is one server of models.
type Provider struct {
	Kind string `yaml:"kind"` // kind of the provider's API: openai or anthropic
	// API key: the text in the configuration, or the content of APIKeyFile; empty if the server
	// needs no key
	APIKey Secret `yaml:"api_key" reload:"live"`
	// path of the key's file, as written in the configuration
	APIKeyFile string `yaml:"api_key_file" holds:"APIKey" reload:"live"`
	BaseURL    string `yaml:"base_url"` // absolute http or https URL of the API
	// maximum tokens of a request and its answer together; 0 means that Mews finds out
	Window int64 `yaml:"window" min:"0" max:"100000000"`
	// name of the server program, for kind openai; "" means that BaseURL identifies the server
	Server string `yaml:"server"`
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

// Values of TOTPPolicy: who needs a second factor.
const (
	TOTPRequired TOTPPolicy = "required" // every user needs a second factor: a user who has not enrolled is locked out
	TOTPOptional TOTPPolicy = "optional" // a user needs a second factor once they have enrolled
	TOTPOff      TOTPPolicy = "off"      // no user needs a second factor
)

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
