package api

const (
	textAdminsOnly = "Only an admin may do that; this account is not one."
)

// Texts of mews status.
const (
	textAsking          = " (%s for an answer)"
	textNoFolder        = "your folder or your account can't be used; `mews doctor` tells an admin why"
	textIndexed         = "; searchable: %s of %s, %s"
	textIndexNothing    = "; its text files can't be searched yet"
	textIndexUnread     = " (not all of it has been read yet)"
	textIndexLeft       = " (left out: %s)"
	textIndexLarge      = "%d over 1 MiB"
	textIndexNotText    = "%d that are not text"
	textIndexUnreadable = "%d that can't be read"
	textIndexExcess     = "%d above the limit of 20,000 files"
	textStatusInGroup   = "Mews %s with the model %s; %s. In our private chat /status says more."
)

// Texts of /start and of the start of the service.
const (
	textWelcomeInGroup = "The model is %s."
	textWelcome        = "The model is %s."
	textReady          = "Mews is ready, with nothing configured.\n\n"
	textReadyChat      = "Talk to it:            mews chat   " +
		"(in another terminal; `mews run --chat` does both in one)\n"
	textReadyTelegram = "On Telegram:           TELEGRAM_TOKEN=123456:ABC... MEWS_TELEGRAM_ID=42 mews run\n" +
		"                       (a bot's token from @BotFather; your own numeric id, which @userinfobot tells you)\n"
	textReadyMore = "With your own model:   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 mews run\n" +
		"                       (Ollama, llama.cpp, or any other endpoint of that kind; " +
		"OPENAI_API_KEY if it needs one)\n" +
		"With a configuration:  copy deploy/mews.example.yaml to ./mews.yaml, then `mews check`\n\n"
)

// Texts of mews models and mews activity.
const (
	textNoActivityKind = "There is no kind %q; there are %s."
	textProviderSilent = "%s did not say which models it has: %s\n"
	textInUseDefault   = "in use, the default"
	textInUse          = "in use"
	textDefault        = "the default"
	textNoActivity     = "nothing was done in that time\n"
	textOlderActivity  = "(only the newest %d; use --since and --kind to list fewer)\n"
)

// Texts of mews usage.
const (
	textDaysRange = "Ask for 1 to %d days."
	textNoUsage   = "%s, since %s: no model was asked anything\n"
	textEverybody = "everybody"
	textNameless  = "(without a name)"
	textSum       = "all"
	textAbout     = "~"
	textEstimated = "~ means about: the use of calls that were stopped or broke off is estimated.\n"
)

var usageColumns = []string{"CALLS", "INPUT", "FROM CACHE", "OUTPUT", "COST", "WITHOUT A PRICE"}
