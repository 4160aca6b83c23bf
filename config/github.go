package config

import "time"

// GitHub configures the watched repositories.
type GitHub struct {
	// Secret with which GitHub signs its deliveries. Without a secret, Mews accepts no delivery and
	// polls the repositories.
	WebhookSecret Secret `yaml:"webhook_secret" reload:"replaced"`
	// path of the secret's file, as written in the configuration
	WebhookSecretFile string `yaml:"webhook_secret_file" holds:"WebhookSecret" reload:"live"`
	// Mews acts on GitHub as an account, by its Token, or as a GitHub App.
	Token Secret `yaml:"token" reload:"replaced"`
	// path of the token's file, as written in the configuration
	TokenFile string    `yaml:"token_file" holds:"Token" reload:"live"`
	App       GitHubApp `yaml:"app"`
	APIURL    string    `yaml:"api_url" default:"https://api.github.com" check:"github_api"`
	// name for mentions, as in @mews; "" means the name of the token's account or of the app
	Name string        `yaml:"name" check:"github_login"`
	Poll time.Duration `yaml:"poll" default:"60s" min:"10s" max:"1h"`
	// how long an event waits for further events, which come in the same notice
	Gather time.Duration `yaml:"gather" default:"30s" min:"0s" max:"10m"`

	Review GitHubReview `yaml:"review"`
	Triage GitHubTriage `yaml:"triage"`

	// repositories by owner/name; names must differ even if case is ignored
	Repos map[string]GitHubRepo `yaml:"repos" check:"github_repos"`
}

// GitHubWebhookPath is the path that GitHub calls at Webhooks.Listen.
const GitHubWebhookPath = "/webhook/github"

// GitHubApp is a GitHub App: its id and key. The zero value means none.
type GitHubApp struct {
	ID int64 `yaml:"id"`
	// path of the key's file, as written in the configuration
	PrivateKeyFile string `yaml:"private_key_file" holds:"PrivateKey" form:"pem" reload:"replaced"`

	PrivateKey Secret // content of PrivateKeyFile, as PEM; not a key of the configuration file
}

// GitHubReview limits the reviews of pull requests.
type GitHubReview struct {
	// time to wait from the last push to the review
	Settle time.Duration `yaml:"settle" default:"300s" min:"0s" max:"24h"`
	// cost limit of one review; 0 means no limit
	Budget Dollars `yaml:"budget" default:"1"`
	// daily cost limit of the reviews and triages that one user requests; 0 means no limit. Admins
	// have no limit
	Person  Dollars       `yaml:"person" default:"2"`
	Timeout time.Duration `yaml:"timeout" default:"15m" min:"1m" max:"24h"`
	// maximum number of heads of a pull request that are reviewed without a request
	Heads int `yaml:"heads" default:"5" min:"1" max:"100"`
	// maximum of findings that are posted at their lines
	Inline int    `yaml:"inline" default:"10" min:"1" max:"20"`
	Model  string `yaml:"model" check:"model"` // model for reviews; "" means Models.Default
	// If the budget does not cover Model, Models.Small continues the review. false means that the
	// review ends.
	Small bool `yaml:"small"`
}

// GitHubTriage limits the triage of issues.
type GitHubTriage struct {
	// time to wait from an issue's opening to its triage
	Settle time.Duration `yaml:"settle" default:"60s" min:"0s" max:"24h"`
	// cost limit of the triage of one issue; 0 means no limit
	Budget Dollars `yaml:"budget" default:"0.20"`
	// model for triage; "" means Models.Small or, without Small, Models.Default
	Model string `yaml:"model" check:"model"`
}

// GitHubRepo configures one repository.
type GitHubRepo struct {
	User   string `yaml:"user"` // the repository's owner in Mews: a name in Users
	Review bool   `yaml:"review"`
	Triage bool   `yaml:"triage"`
	// Recipients of notices about the repository: users by name, groups and topics by id. An empty
	// list means the admins.
	Notify []Recipient `yaml:"notify" check:"recipients"`
	// the form of a posted review
	Post string `yaml:"post" default:"review" oneof:"review check card"`
	// cost limit of reviews and triage per day; 0 means no limit
	Day Dollars `yaml:"day" default:"5"`
	// labels that triage may give
	Labels string `yaml:"labels" default:"existing" oneof:"existing create"`
	// title of the project for triaged issues; "" means none
	Project string `yaml:"project"`
	// rule for reviews of strangers' pull requests from forks: ask or allow
	Forks string `yaml:"forks" default:"ask" oneof:"ask allow"`
}

// Hook is a path that other programs call to send a message to a user. The path is HookPathPrefix
// and the hook's name.
type Hook struct {
	// the user who gets the messages: a name in Users
	User string `yaml:"user"`
	// group or topic that gets the messages, instead of the user's private chat
	Chat Recipient `yaml:"chat"`
	// secret of the hook: the text in the configuration, or the content of SecretFile; never empty
	Secret Secret `yaml:"secret" reload:"replaced"`
	// path of the secret's file, as written in the configuration
	SecretFile string `yaml:"secret_file" holds:"Secret" reload:"live"`
	// how a caller proves that it has the secret
	Sign string `yaml:"sign" default:"bearer" oneof:"bearer header hmac"`
	// HTTP header with the secret or signature; "" with bearer
	Header string `yaml:"header"`
	// name of a task that each call runs, instead of sending a message
	Job string `yaml:"job"`
	// messages of the hook do not wait for the end of quiet hours
	Urgent bool `yaml:"urgent"`
	// template that makes the message from the JSON of the body, see package template; "" means
	// none
	Template string `yaml:"template"`
}

// HookPathPrefix is the beginning of the path of every hook.
const HookPathPrefix = "/webhook/"

// Recipient is a user's name, or the id of a group or topic on Telegram. Examples of ids are
// -100123 and -100123/45.
type Recipient string
