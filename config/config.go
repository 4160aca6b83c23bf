// Package config reads the configuration: its shape, its defaults, and every check that needs only
// the file and the environment. A Config that it returns is complete: defaults are filled in,
// secrets are read, and each value is checked.
//
// It is strict. An unknown key, a wrong type, a key that stands twice or a value out of its bounds
// is a Problem with its line, and all of them are reported at once. Only cmd/mews and
// supervisor/app import this package; they copy the values into each part's options.
//
// A new key is a field here and a line in deploy/mews.example.yaml. These tags say what the field
// is:
//
//	yaml      the key's name
//	default   its value where the file has none, written as in the file; on a struct: of each key below
//	oneof     the words that it may be
//	min, max  its bounds, written as in the file
//	zero      what a value of zero means; the bounds do not hold for it
//	check     a check in code, by its name in checks
//	holds     the key names a file, whose content goes to the field of this name
//	form      what such a file holds: "key" is 32 bytes, "pem" a private key; without it: a line
//	reload    "live": a change holds at once; "restart", or no tag: after a restart. On a struct: for each key below
package config

import "time"

// Config is the file. The fields without a yaml tag stand in no file, and come last.
type Config struct {
	// absolute path of the folder that is the supervisor's own
	State string `yaml:"state" check:"state"`
	// SocketGroup is the OS group that may reach the control socket beside the service's account;
	// "" is that account's own.
	SocketGroup string `yaml:"socket_group" check:"account"`

	Webhooks Webhooks `yaml:"webhooks"`
	Log      Log      `yaml:"log"`
	Telegram Telegram `yaml:"telegram"`
	Models   Models   `yaml:"models"`
	Worker   Worker   `yaml:"worker"`
	Chat     Chat     `yaml:"chat"`
	Speech   Speech   `yaml:"speech"`
	Uploads  Uploads  `yaml:"uploads"`
	Limits   Limits   `yaml:"limits"`

	Access    Access    `yaml:"access" reload:"live"`
	Budget    Budget    `yaml:"budget" reload:"live"`
	Approvals Approvals `yaml:"approvals" reload:"live"`

	Users []User `yaml:"users" check:"users" reload:"live"` // at least one
	// of users who have nothing else; already copied into each User
	Files Files `yaml:"files" reload:"live"`

	GitHub GitHub          `yaml:"github"`
	Hooks  map[string]Hook `yaml:"hooks" check:"hooks"` // by the last part of their path

	Local  bool     // there was no file
	File   string   // absolute path of the file; "" with Local
	Client bool     // it was read without the secrets that this account may not read
	Holds  []string // absolute paths of the files that were read and hold secrets
	// whole sentences for the person who starts Mews: what the environment has and was not used
	Hints []string

	// Warnings is an *ErrorList of what is wrong and does not keep a service from starting. nil
	// means nothing is wrong.
	Warnings error
}

// Webhooks is where others call this machine from outside.
type Webhooks struct {
	Listen string `yaml:"listen" check:"listen"` // IP address or localhost, and a port; "" for none
}

// Log is how the service logs.
type Log struct {
	Level  string `yaml:"level" default:"info" oneof:"trace debug info warn error"`
	Format string `yaml:"format" default:"json" oneof:"json text"`
	// at debug, log also what goes to the models and comes from them
	Payloads bool `yaml:"payloads"`
}

// Telegram is the bot that people talk to.
type Telegram struct {
	// as written, or what TokenFile holds; empty: nobody talks on Telegram
	Token     Secret `yaml:"token" check:"token"`
	TokenFile string `yaml:"token_file" holds:"Token"` // as written
	APIURL    string `yaml:"api_url" default:"https://api.telegram.org" check:"bot_api"`
	// absolute path of the folder that a Bot API server keeps files in; "": none
	Files   string   `yaml:"files" check:"bot_files"`
	Webhook Webhook  `yaml:"webhook" check:"webhook"`
	Rate    SendRate `yaml:"rate"`
	// Ids of the groups in which people may speak from the start: below 0, each once.
	Groups []int64 `yaml:"groups" check:"groups" reload:"live"`
}

// Webhook has Telegram call this machine. Without a URL Mews asks Telegram (long polling).
type Webhook struct {
	// https, or http of this machine; its path is TelegramPath
	URL string `yaml:"url"`
	// with a URL never empty: as written, or what SecretFile holds
	Secret     Secret `yaml:"secret"`
	SecretFile string `yaml:"secret_file" holds:"Secret"` // as written
}

// TelegramPath is the path that Telegram calls at Webhooks.Listen.
const TelegramPath = "/webhook/telegram"

// SendRate is how many messages are sent at most. A change or a deletion counts as a message.
type SendRate struct {
	Chat  int `yaml:"chat" default:"1" min:"1" max:"30"`    // a second, to one chat
	Group int `yaml:"group" default:"20" min:"1" max:"600"` // a minute, to one group
	// a second, to all chats together; Telegram sells at most 1000
	All int `yaml:"all" default:"30" min:"1" max:"1000"`
}

// Models is who answers. A model is named as PROVIDER/MODEL, as Offline, or by its bare name where
// it is one of the default's provider. A bare default belongs to the only provider.
type Models struct {
	Default string `yaml:"default" default:"offline" check:"default_model"`
	// for small work; "" is Default
	Small string `yaml:"small" check:"model"`
	// turns texts into vectors for the search; "": it goes by words alone
	Embed string `yaml:"embed" check:"embed_model"`
	// asked in this order when a model fails; each once
	Fallback []string `yaml:"fallback" check:"fallback"`
	// already copied into each User
	Allowed  []string `yaml:"allowed" check:"model_globs" reload:"live"`
	Thinking string   `yaml:"thinking" default:"off" oneof:"off low medium high"`
	Cache    string   `yaml:"cache" default:"5m" oneof:"1h 5m none"` // CacheFor reads it

	// a model that says nothing for so long has failed
	Silence time.Duration `yaml:"silence" default:"1m" min:"1s" max:"1h"`
	// by model; they replace the built-in ones
	Prices    map[string]Price    `yaml:"prices" check:"prices" reload:"live"`
	Providers map[string]Provider `yaml:"providers" check:"providers"`
}

// Price is what a model costs, in US dollars for a million tokens. Above the bound a price is a
// slip, such as one per token.
type Price struct {
	Input      float64 `yaml:"input" min:"0" max:"10000"`
	Output     float64 `yaml:"output" min:"0" max:"10000"`
	CacheRead  float64 `yaml:"cache_read" min:"0" max:"10000"`  // 0 is as Input
	CacheWrite float64 `yaml:"cache_write" min:"0" max:"10000"` // 0 is as Input
	// of a recording; there is no Input and Output then
	Minute float64 `yaml:"minute" min:"0" max:"100"`
}

// Provider is one way to reach models.
type Provider struct {
	Kind string `yaml:"kind"` // openai or anthropic
	// as written, or what APIKeyFile holds; empty where the endpoint wants none
	APIKey     Secret `yaml:"api_key"`
	APIKeyFile string `yaml:"api_key_file" holds:"APIKey"` // as written
	BaseURL    string `yaml:"base_url"`                    // absolute http or https URL
	// tokens that its models take, the answer with them; 0 is found out
	Window int64 `yaml:"window" min:"0" max:"100000000"`
	// the program that answers there, of kind openai; "": BaseURL tells
	Server string `yaml:"server"`
}

// Worker is about the workers' processes.
type Worker struct {
	// The walls around workers: auto is the best that the system gives; with fewer than the minimum
	// nobody is served.
	Sandbox    string `yaml:"sandbox" default:"auto" oneof:"auto accounts namespaces landlock off"`
	SandboxMin string `yaml:"sandbox_min" default:"namespaces" oneof:"accounts namespaces landlock off"`
	// OS account of workers whose users have none, where the service runs as root.
	Account string `yaml:"account" default:"mews"`
	// Instead of that account, a uid for each of them: a range of the host's that is free,
	// UIDsAuto, or "" for none. See UIDRange.
	UIDs string `yaml:"uids" default:"auto" check:"uids"`

	// The bounds of a worker and all that it runs: bytes of memory; processes and threads; bytes of
	// the person's home.
	Memory Size `yaml:"memory" default:"1GiB" min:"64MiB" max:"1024GiB"`
	PIDs   int  `yaml:"pids" default:"256" min:"32" max:"65536"`
	Disk   Size `yaml:"disk" default:"10GiB" min:"1MiB" zero:"no limit"`

	// absolute paths of folders that every worker may read
	ReadOnly []string `yaml:"read_only" check:"folders"`
	// after so long without a turn a worker is ended
	Idle time.Duration `yaml:"idle" default:"30m" min:"1s" max:"168h"`
}

// Uploads are the files that people send.
type Uploads struct {
	Keep int `yaml:"keep" min:"0" max:"36500"` // days for which they stay; 0: for ever
}

// Chat is how people are talked to.
type Chat struct {
	// where a message can be changed after it was sent
	Stream string `yaml:"stream" default:"edit" oneof:"edit final"`
	Busy   string `yaml:"busy" default:"steer" oneof:"steer queue restart"`
	// Reactions says which messages of people get an emoji, where the channel can do that.
	Reactions string `yaml:"reactions" default:"waiting" oneof:"waiting all off"`
	// what answers claim to have done
	Claims string `yaml:"claims" default:"check" oneof:"check off"`
	// Question is how long a question stands, from when its person could read it.
	Question time.Duration `yaml:"question" default:"24h" min:"1m" max:"168h"`
}

// The values of Chat.Stream: how an answer comes.
const (
	StreamEdit  = "edit"  // it grows while it is given
	StreamFinal = "final" // it comes when it is complete
)

// The values of Chat.Busy: what happens to a message that somebody sends while their turn runs.
const (
	BusySteer   = "steer"   // the turn takes it in as it goes on
	BusyQueue   = "queue"   // it has a turn of its own, after that one
	BusyRestart = "restart" // it stops the turn, and has one of its own
)

// ClaimsCheck is the value of Chat.Claims with which a line below an answer says what no tool has
// done.
const ClaimsCheck = "check"

// Limits are the bounds of one turn, and of all turns.
type Limits struct {
	Steps int `yaml:"steps" default:"50" min:"1" max:"1000"` // model calls
	// from its start to its end
	Turn time.Duration `yaml:"turn" default:"15m" min:"1s" max:"24h"`
	// tokens of earlier messages in a request
	History int `yaml:"history" default:"32000" min:"1000" max:"10000000"`
	// What the model is shown of a tool's output. It must fit into one line of the wire, escaped.
	Output Size `yaml:"output" default:"16KiB" min:"1KiB" max:"128KiB"`

	// turns of jobs that run at one time, of all people together
	Jobs int `yaml:"jobs" default:"2" min:"1" max:"64"`
	// that run at one time, of all people together
	Turns      int `yaml:"turns" default:"8" min:"1" max:"256"`
	ModelCalls int `yaml:"model_calls" default:"8" min:"1" max:"256"` // likewise
	// recordings that are transcribed at one time, likewise
	Speech int `yaml:"speech" default:"1" min:"1" max:"64"`
}

// Access is how people prove that it is they who speak, and how much they may send.
type Access struct {
	// A code opens a chat until nothing was said in it for a session, and for SessionMax at most.
	Session    time.Duration `yaml:"session" default:"30m" min:"1m" max:"168h"`
	SessionMax time.Duration `yaml:"session_max" default:"12h" min:"1m" max:"720h" check:"session_max"`
	Rate       ReceiveRate   `yaml:"rate"`
	// As written; "": the service keeps a key of its own. No key opens what another has sealed.
	KeyFile string `yaml:"key_file" holds:"Key" form:"key" reload:"restart"`

	Key Secret // what KeyFile holds: 32 bytes. Empty without one. In no file.
}

// ReceiveRate is how many messages are taken from one person.
type ReceiveRate struct {
	Burst  int     `yaml:"burst" default:"20" min:"1" max:"1000"`   // at once
	Second float64 `yaml:"second" default:"1" min:"0.01" max:"100"` // a second, from then on
}

// TOTP says whether people have to prove with a code (TOTP) that it is they who speak.
type TOTP string

// The modes of a second factor.
const (
	TOTPRequired TOTP = "required" // always: who has not enrolled can't speak
	TOTPOptional TOTP = "optional" // once they have enrolled
	TOTPOff      TOTP = "off"      // never
)

// Budget is what may be spent on models.
type Budget struct {
	Month Dollars `yaml:"month"` // by all people together, from the first to the first
	// by a user who has nothing else; already copied into each User
	Users SpendLimits `yaml:"users"`
}

// SpendLimits are what a user may spend on models. 0 is no limit.
type SpendLimits struct {
	Turn  Dollars `yaml:"turn"`  // in one turn
	Day   Dollars `yaml:"day"`   // from midnight to midnight where they live
	Month Dollars `yaml:"month"` // from the first to the first where they live
	// by how much they may lengthen their day by themselves, when asked; 0: not at all
	Extend Dollars   `yaml:"extend"`
	Jobs   JobBudget `yaml:"jobs"` // by their jobs, within all of these
}

// JobBudget is what a user's jobs may spend on models. 0 is no limit.
type JobBudget struct {
	Run   Dollars `yaml:"run" default:"0.10"` // by one that was due, however often it is tried
	Day   Dollars `yaml:"day" default:"0.50"`
	Month Dollars `yaml:"month" default:"5"`
}

// Approvals say whether people are asked before something leaves the walls.
type Approvals struct {
	All   EffectRules `yaml:"all" check:"rules"`   // each effect has one
	Admin EffectRules `yaml:"admin" check:"rules"` // of admins; each replaces that of All
	User  EffectRules `yaml:"user" check:"rules"`  // of everybody else, likewise
}

// EffectRules are allow, ask, step_up or deny, by the name of an effect.
type EffectRules map[string]string

// User is a person who may talk. Files, Budget and ModelsAllowed are complete: where the file has
// nothing for the user, they have what holds for everybody.
type User struct {
	Name string `yaml:"name"` // unique
	// admins may see to the service
	Role string `yaml:"role" default:"user" oneof:"admin user"`
	// OS account, unique; "" is the service's own
	Account string `yaml:"account" check:"account" reload:"restart"`
	// absolute path, apart from every other home
	Home string `yaml:"home" reload:"restart"`
	// IANA name; "" is the machine's own
	Timezone string `yaml:"timezone" check:"timezone"`
	// numeric id on Telegram, unique; 0 where they are not there
	Telegram int64 `yaml:"telegram"`
	// login on GitHub, unique in any case; "" where they are not there
	GitHub string `yaml:"github" check:"github_login"`
	// a model as Models names it; "" is Models.Default
	Model string `yaml:"model" check:"model"`
	// Folders besides the home that the user's worker may change: absolute paths, which it sees as
	// /workspaces/NAME.
	Workspaces []string `yaml:"workspaces" check:"folders" reload:"restart"`
	Files      Files    `yaml:"files"`
	// how many days what was said is kept; 0: for ever
	History int `yaml:"history" min:"0" max:"36500"`

	TOTP      TOTP        `yaml:"totp" default:"optional"`
	Budget    SpendLimits `yaml:"budget"`
	Approvals EffectRules `yaml:"approvals" check:"rules"`
	// globs of models that they may choose; empty is all
	ModelsAllowed []string `yaml:"models_allowed" check:"model_globs"`
}

// Files narrows what the file tools see, as doublestar globs over paths below the person's folder.
// An empty list narrows nothing.
type Files struct {
	Include []string `yaml:"include" check:"globs"` // where given, only these are seen
	Exclude []string `yaml:"exclude" check:"globs"` // never seen, and stronger than Include
	// may be created and appended to, never changed otherwise
	AppendOnly []string `yaml:"append_only" check:"globs"`
}
