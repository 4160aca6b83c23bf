package config

import "time"

// GitHub is which repositories are watched there, and what is done for them.
type GitHub struct {
	// What GitHub signs its deliveries with. Without one nothing is taken from it: the repositories
	// are asked.
	WebhookSecret     Secret `yaml:"webhook_secret"`
	WebhookSecretFile string `yaml:"webhook_secret_file" holds:"WebhookSecret"` // as written
	// Whom Mews is there: either an account, by a token of it, or a GitHub App.
	Token     Secret    `yaml:"token"`
	TokenFile string    `yaml:"token_file" holds:"Token"` // as written
	App       GitHubApp `yaml:"app"`
	APIURL    string    `yaml:"api_url" default:"https://api.github.com" check:"github_api"`
	// what people call it by, as in @mews; "" is the token's or the app's own
	Name string        `yaml:"name" check:"github_login"`
	Poll time.Duration `yaml:"poll" default:"60s" min:"10s" max:"1h"`
	// how long what happens waits to be told with what follows
	Gather time.Duration `yaml:"gather" default:"30s" min:"0s" max:"10m"`

	Review GitHubReview `yaml:"review"`
	Triage GitHubTriage `yaml:"triage"`

	// by owner/name, each once in any case
	Repos map[string]GitHubRepo `yaml:"repos" check:"github_repos"`
}

// GitHubPath is the path that GitHub calls at Webhooks.Listen.
const GitHubPath = "/webhook/github"

// GitHubApp is a GitHub App: its number and its key. The zero value is none.
type GitHubApp struct {
	ID             int64  `yaml:"id"`
	PrivateKeyFile string `yaml:"private_key_file" holds:"PrivateKey" form:"pem"` // as written

	PrivateKey Secret // what PrivateKeyFile holds, as PEM. In no file.
}

// GitHubReview bounds the reviews of pull requests.
type GitHubReview struct {
	// from the last push to the review
	Settle time.Duration `yaml:"settle" default:"300s" min:"0s" max:"24h"`
	// for one review; 0 is no limit
	Budget  Dollars       `yaml:"budget" default:"1"`
	Timeout time.Duration `yaml:"timeout" default:"15m" min:"1m" max:"24h"`
	// of one pull request that are reviewed unasked
	Heads int `yaml:"heads" default:"5" min:"1" max:"100"`
	// findings that stand at their lines
	Inline int    `yaml:"inline" default:"10" min:"1" max:"20"`
	Model  string `yaml:"model" check:"model"` // "" is Models.Default
}

// GitHubTriage bounds the triage of issues.
type GitHubTriage struct {
	// from the opening to the triage
	Settle time.Duration `yaml:"settle" default:"60s" min:"0s" max:"24h"`
	// for one issue; 0 is no limit
	Budget Dollars `yaml:"budget" default:"0.20"`
	// "" is Models.Small, else Models.Default
	Model string `yaml:"model" check:"model"`
}

// GitHubRepo is what is done for one repository.
type GitHubRepo struct {
	User   string `yaml:"user"` // whose it is here: a name of Users
	Review bool   `yaml:"review"`
	Triage bool   `yaml:"triage"`
	// Who is told what happens: people by their names, groups and topics by their ids. Nobody: the
	// admins.
	Notify []Recipient `yaml:"notify" check:"recipients"`
	// what a review leaves there
	Post string `yaml:"post" default:"review" oneof:"review check card"`
	// for reviews and triage a day; 0 is no limit
	Day Dollars `yaml:"day" default:"5"`
	// which labels triage gives
	Labels string `yaml:"labels" default:"existing" oneof:"existing create"`
	// title of the project that triage puts issues into; "" is none
	Project string `yaml:"project"`
	// reviews of what strangers propose from forks
	Forks string `yaml:"forks" default:"ask" oneof:"ask allow"`
}

// Hook is a path that other programs call, to have a message sent. It is called at HookPath and its
// name.
type Hook struct {
	// whose chat the messages come to: a name of Users
	User string `yaml:"user"`
	// a group or topic, instead of their private chat
	Chat Recipient `yaml:"chat"`
	// as written, or what SecretFile holds; never empty
	Secret     Secret `yaml:"secret"`
	SecretFile string `yaml:"secret_file" holds:"Secret"` // as written
	// how a caller shows the secret
	Sign string `yaml:"sign" default:"bearer" oneof:"bearer header hmac"`
	// where, with header and hmac; with bearer ""
	Header string `yaml:"header"`
	// the task that a call runs, by its name, instead of a message
	Job string `yaml:"job"`
	// its messages do not wait for the end of quiet hours
	Urgent bool `yaml:"urgent"`
	// of package template, over the body's JSON; "" is none
	Template string `yaml:"template"`
}

// HookPath is what the paths of Hooks begin with.
const HookPath = "/webhook/"

// Recipient is who is told something: a user's name, the id of a group on Telegram, or that with a
// topic's: -100123/45.
type Recipient string
