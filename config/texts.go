package config

// A problem reads "got VALUE, want WANT". These texts are the VALUE if the file has no value to
// show.
const (
	gotNothing    = "nothing"
	gotUnknownKey = "an unknown key"
	gotKeyThatIs  = "a key that is "
	gotKeyAgain   = "the key a second time"
	gotScalar     = "a single value"
	gotMapping    = "a mapping"
	gotList       = "a list"
	gotEmptyList  = "an empty list"
	gotAlias      = "an alias"
	gotAsName     = " as a name"
	gotAsModel    = " as a model"
	gotPriceAgain = "the price of one model a second time"
	gotNotYAML    = "text that is not YAML (%s)"
	gotDocuments  = "a second document"
)

// Texts that say which value is right, for problems with the structure of the file.
const (
	wantText     = "text"
	wantQuotes   = "text: put it between quotes"
	wantLine     = "text of one line, without control characters"
	wantBool     = "true or false"
	wantNumber   = "a number such as 3 or 0.25"
	wantWhole    = "a whole number"
	wantDuration = "a duration such as 90s, 30m or 1h30m"
	wantSize     = "a size in B, KiB, MiB or GiB, such as 16KiB"
	wantDollars  = "US dollars from 0 to 1000000 such as 2 or 0.25, at most to a millionth; 0 is no limit"

	wantKeys     = "keys and their values: "
	wantNames    = "names, each with its keys and values"
	wantList     = "a list: [first, second], or a line with a dash for each"
	wantPlainKey = "a plain word as the key"
	wantKeyOnce  = "this key only once: line %d has it already"
	wantNoAnchor = "the value written out: anchors and aliases are not read"
	wantYAML     = "key: value; indent what belongs to a key by two spaces"
	wantFlow     = `"${NAME}" in quotes inside { } or [ ], and elsewhere ` + wantYAML
	wantDocument = "one document: no line that is only ---"

	wantVariable    = "${NAME} with the name of an environment variable, or $${ for a plain ${"
	wantVariableSet = "the environment variable %s to be set and not empty"
	wantLineFile    = "a file with one line, the %s: %v"
	wantKeyFile     = "a file of 32 random bytes, or of 64 hexadecimal digits such as `openssl rand -hex 32` makes: %[2]v"
	wantPEMFile     = "a PEM file with an app's RSA private key, as GitHub gives it: %[2]v"
	wantEither      = "either %s or %[1]s_file"

	wantBetween = "from %s to %s"
	wantAtLeast = "at least %s, or %s for %s"
)

// Texts that say which value is right, for problems with voices.
const (
	wantLanguage      = "auto, or a language's code such as en"
	wantHearCommand   = "a program and its arguments, {wav} among them"
	wantSeenByWorkers = "an absolute path that workers may read: below /usr, or below a folder of worker.read_only"
	wantVoiceCommand  = "a program and its arguments, {wav} among them"
	wantVoices        = "1 to 20 voices for the engine %s, each with a name"
	wantVoiceName     = "at most 32 of a-z, 0-9, _ and -, a letter or digit first"
	wantVoice         = "one of speech.out.voices: %s"
	wantVoiceModel    = "PROVIDER/MODEL with a provider of kind openai in models.providers"
)

// Texts that say which value is right, for problems with users and their folders.
const (
	wantUsers    = "at least one user; leave out users to serve only the account that runs Mews"
	wantName     = "at most 32 of a-z, 0-9, _ and -, a letter or digit first"
	wantUnique   = "a different value: %s is the same"
	wantAccount  = "the name of an account of this machine"
	wantUIDs     = "auto, two numbers from 1000 on with - between them, or \"\" for none"
	wantTimezone = "a time zone that this machine knows, such as Europe/Madrid"

	wantState        = "an absolute path; or leave it out, and set HOME or XDG_STATE_HOME"
	wantAbsolute     = "an absolute path"
	wantFolder       = "an absolute path of a folder"
	wantFewFolders   = "at most %d folders"
	wantFolderApart  = "a folder that does not overlap %s (%s)"
	wantNotNested    = "a folder outside %s (%s), which a worker may change: it could put another folder in its place"
	wantHistoryDir   = "an absolute path of a folder, or leave it out"
	wantBackupDir    = "an absolute path of a folder, other than /"
	wantAgeRecipient = "a recipient of age, such as age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p; " +
		"age-keygen makes one"
	wantSealedBackup = "backup.recipient beside it, which seals the backups, or backup.plain: true"
	wantNoHistory    = "a folder without the file histories, which lie in %s"
	wantGlob         = "a glob below the person's folder, such as notes/**/*.md"
	wantSessionMax   = "at least access.session, which is %s"

	whatFile  = "this configuration"
	whatState = "the service's own folder"
)

// Texts that say which value is right, for problems with models.
const (
	wantModelName    = ": a provider of models.providers and its name of the model"
	wantAnotherModel = "another model: %s is the same"
	wantEmbedModel   = "an embedding model of a provider of kind openai in models.providers: others have no call for embeddings"
	wantModelGlob    = "a glob of PROVIDER/MODEL such as claude/* or */*haiku*, or " + OfflineModel + ", or ** for all"
	wantPrice        = "US dollars for a million tokens, such as 3 or 0.25"
	wantMinutePrice  = "minute: US dollars for a minute, because speech.in uses this model to transcribe"
	gotTokenPrice    = "a price for tokens"
	wantPriceOnce    = "this price only once: %s has it already"
	wantProviderName = wantName + ", and not " + OfflineModel
	wantProviderKey  = "the key, because %s answers nobody without one"
	wantNoServer     = "none: it is for providers of kind " + kindOpenAI
	wantURL          = "a URL such as http://127.0.0.1:11434/v1, with no user, query or fragment"
	wantAnthropicURL = "a URL such as https://api.anthropic.com, with no user, query or fragment"
)

// Texts that say which value is right, for problems with Telegram.
const (
	wantToken           = "a bot's token as @BotFather gives it: digits, a colon and about 35 letters, digits, _ and -"
	wantTokenForWebhook = "the bot's token, because telegram.webhook is set"
	wantSecret          = "16 to 256 of A-Z, a-z, 0-9, _ and -, such as `openssl rand -hex 32` makes: it proves that Telegram calls"
	wantAPI             = "a URL: https://api.telegram.org, or that of a Bot API server of your own, which may be http"
	wantBotFiles        = "an absolute path of the folder that your Bot API server works in, such as /var/lib/telegram-bot-api"
	wantOwnAPI          = "the URL of your own Bot API server, because telegram.files is set"
	wantWebhook         = "an https URL that leads to this machine, with the path " + TelegramWebhookPath +
		": https://bot.example.org" + TelegramWebhookPath
	wantPort             = "port 443, 80, 88 or 8443: Telegram calls no other"
	wantFeed             = "an https address without a password, such as https://example.org/mews, or an absolute path"
	wantFeedForDaily     = wantFeed + ", since update.daily is true"
	wantListen           = "an address of this machine and a port, such as 127.0.0.1:8322"
	wantOtherListen      = "another port than webhooks.listen has, such as 127.0.0.1:8321; or \"\" for none"
	wantAlarmURL         = "a URL such as https://ntfy.sh/my-topic, with no fragment"
	wantListenForWebhook = wantListen + ", where telegram.webhook.url leads"
	wantGroup            = "a group's numeric id on Telegram, which is below 0, such as -1001234567890"
	wantAnotherGroup     = "another group: %s is the same"
	wantTelegram         = "a person's numeric id on Telegram, such as 123456789: @userinfobot on Telegram tells you yours"
)

// Texts that say which value is right, for problems with GitHub and other hooks.
const (
	wantGitHubAPI    = "a URL: https://api.github.com, or that of GitHub Enterprise, https://github.example.org/api/v3"
	wantGitHubLogin  = "an account's name on GitHub, without @"
	wantRepo         = "OWNER/NAME as GitHub names the repository"
	wantAnotherRepo  = "a different repository: %s is the same, because case does not count"
	wantUser         = "the name of a user: %s"
	wantReviewModel  = "false, or a model in github.review.model or models.default: the offline model can't review"
	wantAppForCheck  = "review or card, or a GitHub App in github.app: GitHub accepts checks only from an App"
	wantTokenOrApp   = "either github.token or github.app"
	wantAppID        = "the app's number, which GitHub shows on the app's page"
	wantAppKey       = "a file with the app's private key: private_key_file"
	wantGitHubToken  = "a GitHub token, or github.app: without one Mews can't ask GitHub anything"
	wantGitHubSecret = "16 to 256 letters, digits and signs, such as `openssl rand -hex 32` makes, as in the repository's webhook: " +
		"it tells GitHub from others who call webhooks.listen"
	wantRecipient = "the name of a user (%s), a group's numeric id on Telegram such as -1001234567890, or that and a topic's: -1001234567890/45"

	wantListenForHooks = wantListen + ", where others call the hooks"
	wantHookName       = wantName + ", and neither telegram nor github"
	wantHookChat       = "a group's numeric id on Telegram such as -1001234567890, or that and a topic's: -1001234567890/45"
	wantNoHookChat     = "no chat here: a task's messages always go to the task's own chat"
	wantHookSecret     = "16 to 256 letters, digits and signs, such as `openssl rand -hex 32` makes: it tells who may call the hook"
	wantHeader         = "the header that shows the secret, which begins with X-, such as X-Webhook-Secret"
	wantNoHeader       = "no header: bearer always uses Authorization"
	wantTemplate       = "a template with no other actions than {{.a.b}}, {{if .a}}, {{else if .b}}, {{else}}, " +
		"{{range .a}} and {{end}}; it has %v"
)

// Texts that say which value is right, for problems with services.
const (
	wantCalendarURL   = "the whole address of a calendar, such as https://example.org/holidays.ics, with no user"
	wantServiceURL    = "a URL such as http://192.168.1.20:8123/api, with no user, query or fragment"
	wantServiceRead   = "METHOD /path such as POST /chat/completions, with a method that methods has"
	wantServiceHeader = "a header such as X-Api-Key that is not among those that Mews sets itself, such as Host"
	wantParamName     = "the name of a query parameter, such as api_key"
	wantBasicName     = "the user's name for the secret, without a colon"
	wantNoAuthName    = "no name: only header, query and basic have one"
	wantAuthType      = "bearer, header, query or basic, because there is a secret"
	wantServiceSecret = "8 to 4096 printable ASCII characters, so that Mews can recognise the secret in answers"
	gotSecretsPlace   = "the place of auth.secret"
	wantSecretsPlace  = "another name, because the secret goes there"
)

// Texts that say which value is right, for the environment without a configuration file.
const (
	wantLocalModel = "offline, PROVIDER/MODEL or a model's name alone. PROVIDER is anthropic, openai, gemini, " +
		"deepseek, " +
		"mistral, qwen, moonshot, xai, zai, groq or openrouter"
	wantEndpointModel = "the name that the endpoint gives the model, because OPENAI_BASE_URL is set"
	wantKeyForModel   = "the key, because MEWS_MODEL is %s"
	wantKeyOrServer   = "the key, because MEWS_MODEL is %s of %s; or OPENAI_BASE_URL, the address " +
		"of a server that has that model"
	wantOneLine = "one line, without control characters"
)

// Hints about two variables that belong together, if one is missing.
const (
	hintAnthropic = "ANTHROPIC_API_KEY is set; to talk with a model of Anthropic's set MEWS_MODEL too, such as " +
		"MEWS_MODEL=claude-sonnet-4-5."
	hintOpenAI = "OPENAI_API_KEY is set; to talk with a model of OpenAI's set MEWS_MODEL too, such as " +
		"MEWS_MODEL=openai/gpt-5-mini."
	hintKey = "%s is set; to talk with a model of %[2]s set MEWS_MODEL too, such as MEWS_MODEL=%[2]s/MODEL."
	hintID  = "TELEGRAM_TOKEN is set; to talk on Telegram set MEWS_TELEGRAM_ID too: your numeric id, which " +
		"@userinfobot " +
		"on Telegram tells you."
	hintEndpoint = "OPENAI_MODEL is set; to use that model set OPENAI_BASE_URL too, such as " +
		"OPENAI_BASE_URL=http://127.0.0.1:11434/v1 for an Ollama on this machine."
	hintUnused = "Mews reads %s, so these variables are not used: %s. " +
		"Write their values into that file, or name them there as ${NAME}."
	hintToken = "MEWS_TELEGRAM_ID is set; to talk on Telegram set TELEGRAM_TOKEN too: a bot's token, which @BotFather on " +
		"Telegram gives you."
)

// Errors of ValidateNewUser.
const (
	errName       = "a user can't be called %s: a name is " + wantName + "; %s would be one"
	errRole       = "there is no role %s: it is admin or user"
	errTimezone   = "this machine knows no time zone %s; an example is Europe/Madrid"
	errConfigured = "%s is in the configuration already"
	errAccount    = "the account %s is %s's already"
	errHome       = "their folder would be %s, but %s already has %s; choose another name"
)

// textUserOfRole describes a new or removed user, in a list of changes.
const textUserOfRole = "a user of role "

// Texts that say which value is right, for problems with searches of the web.
const (
	wantSearchTemplate = "the http or https URL of the search, with {query} where the words go, such as " +
		"https://search.example.org/api?q={query}&n={count}"
	wantSearchKey     = "the key of this search backend, which its site gives"
	wantNoSearchKey   = "no key: searxng needs none"
	wantSearchHeader  = "the name of an HTTP header, and only for the kind generic"
	wantNoSearchPaths = "no paths: only the kind generic has them"
)
