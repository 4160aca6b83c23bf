// Package config reads the configuration: its shape, its defaults, and every check of it that needs nothing but the
// file and the environment. A Config that it returns is whole: defaults filled in, secrets read, each value checked.
//
// It is strict. An unknown key, a wrong type, a key that stands twice or a value out of its bounds is a Problem with
// its line, and all of them are reported at once. Only cmd/mews imports this package; it copies the values into each
// part's options.
package config

import "time"

// Config is the file. The names of its keys are the yaml tags; deploy/mews.example.yaml says why each is there.
type Config struct {
	State    string   `yaml:"state"` // absolute path of the folder that is the supervisor's own
	Webhooks Webhooks `yaml:"webhooks"`
	Log      Log      `yaml:"log"`
	Telegram Telegram `yaml:"telegram"`
	Models   Models   `yaml:"models"`
	Worker   Worker   `yaml:"worker"`
	Chat     Chat     `yaml:"chat"`
	Limits   Limits   `yaml:"limits"`

	Access    Access    `yaml:"access"`
	Budget    Budget    `yaml:"budget"`
	Approvals Approvals `yaml:"approvals"`

	Users []User `yaml:"users"` // at least one
	Files Files  `yaml:"files"` // what holds where a user has nothing else; already copied into each User

	Local bool     // there was no file. In no file.
	File  string   // absolute path of what was read; "" with Local. In no file.
	Hints []string // whole sentences for who starts Mews: what stands in the environment and was not taken. In no file.
}

// Webhooks is where others call this machine from outside.
type Webhooks struct {
	Listen string `yaml:"listen"` // IP address or localhost, and a port; "" for none
}

// Log is how the service tells what it does.
type Log struct {
	Level    string `yaml:"level"`    // trace, debug, info, warn or error
	Format   string `yaml:"format"`   // json or text
	Payloads bool   `yaml:"payloads"` // what goes to the models and comes from them stands in it too, at debug
}

// Telegram is the bot that people talk to.
type Telegram struct {
	Token     Secret  `yaml:"token"`      // as written, or what TokenFile holds; empty: nobody talks on Telegram
	TokenFile string  `yaml:"token_file"` // as written
	APIURL    string  `yaml:"api_url"`    // of the Bot API: absolute http or https URL, no slash at its end
	Webhook   Webhook `yaml:"webhook"`
	Rate      Rate    `yaml:"rate"`
	Groups    []int64 `yaml:"groups"` // ids of the groups in which people may speak from the start; below 0, each once
}

// Webhook has Telegram call instead of being asked. Without a URL it is asked (long polling).
type Webhook struct {
	URL        string `yaml:"url"`         // https, or http of this machine; its path is TelegramPath
	Secret     Secret `yaml:"secret"`      // with a URL never empty: as written, or what SecretFile holds
	SecretFile string `yaml:"secret_file"` // as written
}

// TelegramPath is what Telegram calls at Webhooks.Listen.
const TelegramPath = "/webhook/telegram"

// Rate is how much is sent at most, in messages; a changed or deleted one counts as one.
type Rate struct {
	Chat  int `yaml:"chat"`  // a second, to one chat
	Group int `yaml:"group"` // a minute, to one group
	All   int `yaml:"all"`   // a second, to all chats together
}

// Worker is about the workers' processes.
type Worker struct {
	Idle       time.Duration `yaml:"idle"`        // after so long without a turn a worker is ended
	Sandbox    string        `yaml:"sandbox"`     // auto, or the walls that it must be
	SandboxMin string        `yaml:"sandbox_min"` // fewer walls than these, and nothing is served
	Account    string        `yaml:"account"`     // OS account of workers whose users have none, where the service runs as root
	Memory     Size          `yaml:"memory"`      // of a worker and all that it runs
	PIDs       int           `yaml:"pids"`        // processes and threads of a worker and all that it runs
	Disk       Size          `yaml:"disk"`        // of what a person's home holds; 0 is no limit
	ReadOnly   []string      `yaml:"read_only"`   // absolute paths of folders that every worker may read
}

// Chat is how people are talked to.
type Chat struct {
	Stream string `yaml:"stream"` // StreamEdit or StreamFinal, where a message can be changed after it was sent
	Busy   string `yaml:"busy"`   // BusySteer, BusyQueue or BusyRestart
}

// How an answer comes.
const (
	StreamEdit  = "edit"  // it grows before one's eyes
	StreamFinal = "final" // it comes when it is whole
)

// What becomes of what somebody sends while their turn runs.
const (
	BusySteer   = "steer"   // the turn takes it in as it goes on
	BusyQueue   = "queue"   // it has a turn of its own, after that one
	BusyRestart = "restart" // it stops the turn, and has one of its own
)

// Limits are what one turn may use, and all of them.
type Limits struct {
	Steps   int           `yaml:"steps"`   // model calls
	Turn    time.Duration `yaml:"turn"`    // from its start to its end
	History int           `yaml:"history"` // tokens of earlier messages in a request
	Output  Size          `yaml:"output"`  // of one tool call, as the model is shown it

	Turns      int `yaml:"turns"`       // that run at one time, of all people together
	ModelCalls int `yaml:"model_calls"` // likewise
}

// User is a person who may talk.
type User struct {
	Name     string `yaml:"name"`     // unique
	Role     string `yaml:"role"`     // admin or user
	Account  string `yaml:"account"`  // OS account, unique; "" is the service's own
	Home     string `yaml:"home"`     // absolute path, apart from every other home
	Timezone string `yaml:"timezone"` // IANA name; "" is the machine's own
	Telegram int64  `yaml:"telegram"` // numeric id on Telegram, unique; 0 where they are not there
	Model    string `yaml:"model"`    // a model as Models names it; "" is Models.Default
	// Folders besides the home that the user's worker may change: absolute paths, which are seen as /workspaces/NAME.
	Workspaces []string `yaml:"workspaces"`
	Files      Files    `yaml:"files"` // whole: a key that does not stand here is the general one

	TOTP          TOTP     `yaml:"totp"`
	Budget        Spending `yaml:"budget"` // whole, as are Files
	Approvals     Rules    `yaml:"approvals"`
	ModelsAllowed []string `yaml:"models_allowed"` // whole: globs of the models that they may choose; empty is all
}

// Files narrows what the file tools touch, as doublestar globs over paths below the person's folder. An empty list
// narrows nothing.
type Files struct {
	Include    []string `yaml:"include"`     // where given, only these are seen
	Exclude    []string `yaml:"exclude"`     // never seen, and stronger than Include
	AppendOnly []string `yaml:"append_only"` // may be created and appended to, never changed otherwise
}

// defaults is what holds where the file says nothing. What depends on the environment or on other keys is filled in by
// complete.
func defaults() *Config {
	return &Config{
		Log:      Log{Level: "info", Format: "json"},
		Telegram: Telegram{APIURL: telegramURL, Rate: Rate{Chat: 1, Group: 20, All: 30}},
		Models:   Models{Default: Offline, Thinking: thinkingOff, Cache: cacheShort, Silence: time.Minute},
		Worker: Worker{Idle: 30 * time.Minute, Sandbox: "auto", SandboxMin: "namespaces", Account: "mews",
			Memory: GiB, PIDs: 256, Disk: 10 * GiB},
		Chat:      Chat{Stream: StreamEdit, Busy: BusySteer},
		Limits:    Limits{Steps: 50, Turn: 15 * time.Minute, History: 32000, Output: 16 * KiB, Turns: 8, ModelCalls: 8},
		Access:    Access{Session: 30 * time.Minute, SessionMax: 12 * time.Hour, Rate: Inflow{Burst: 20, Second: 1}},
		Approvals: Approvals{All: Rules{SendFile: "allow", Settings: "allow", Invite: "allow"}},
	}
}

// telegramURL is Telegram's own Bot API.
const telegramURL = "https://api.telegram.org"
