package config

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
