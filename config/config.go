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
	State  string `yaml:"state"` // absolute path of the folder that is the supervisor's own
	Log    Log    `yaml:"log"`
	Models Models `yaml:"models"`
	Worker Worker `yaml:"worker"`
	Limits Limits `yaml:"limits"`
	Users  []User `yaml:"users"` // at least one
	Files  Files  `yaml:"files"` // what holds where a user has nothing else; already copied into each User
}

// Log is how the service tells what it does.
type Log struct {
	Level  string `yaml:"level"`  // trace, debug, info, warn or error
	Format string `yaml:"format"` // json or text
}

// Models is who answers.
type Models struct {
	Default   string              `yaml:"default"` // provider/model, or Offline
	Providers map[string]Provider `yaml:"providers"`
}

// Offline is the model that needs no provider.
const Offline = "offline"

// Provider is one way to reach models.
type Provider struct {
	Kind       string `yaml:"kind"`         // openai
	APIKey     Secret `yaml:"api_key"`      // as written, or what APIKeyFile holds; empty where the endpoint wants none
	APIKeyFile string `yaml:"api_key_file"` // as written
	BaseURL    string `yaml:"base_url"`     // absolute http or https URL
}

// Worker is about the workers' processes.
type Worker struct {
	Idle time.Duration `yaml:"idle"` // after so long without a turn a worker is ended
}

// Limits are what one turn may use.
type Limits struct {
	Steps   int           `yaml:"steps"`   // model calls
	Turn    time.Duration `yaml:"turn"`    // from its start to its end
	History int           `yaml:"history"` // tokens of earlier messages in a request
	Output  Size          `yaml:"output"`  // of one tool call, as the model is shown it
}

// User is a person who may talk.
type User struct {
	Name     string `yaml:"name"`     // unique
	Role     string `yaml:"role"`     // admin or user
	Account  string `yaml:"account"`  // OS account, unique; "" is the service's own
	Home     string `yaml:"home"`     // absolute path, apart from every other home
	Timezone string `yaml:"timezone"` // IANA name; "" is the machine's own
	Model    string `yaml:"model"`    // provider/model, or Offline; "" is Models.Default
	Files    Files  `yaml:"files"`    // whole: a key that does not stand here is the general one
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
		Log:    Log{Level: "info", Format: "json"},
		Models: Models{Default: Offline},
		Worker: Worker{Idle: 30 * time.Minute},
		Limits: Limits{Steps: 50, Turn: 15 * time.Minute, History: 32000, Output: 16 * KiB},
	}
}

// openAIURL is where a provider of kind openai is when it has no base_url.
const openAIURL = "https://api.openai.com/v1"
