package api

import "mews/supervisor/model"

const (
	textAdminsOnly = "Only an admin may do that; your account is not an admin's."
)

// Texts of mews status.
const (
	textSharedAccount   = "%d people share one Unix account, although each should have one: %s"
	textWhyShared       = "mews doctor tells why"
	textUpcoming        = "jobs\t%d, the next on %s\n"
	upcomingLayout      = "Mon 2 Jan 15:04"
	textAsking          = " (%s for an answer)"
	textNoFolder        = "your folder or your account can't be used; `mews doctor` tells an admin why"
	textHistory         = "; earlier versions: %s"
	textHistorySize     = "%s of %s, of %s"
	textHistoryOldest   = ", oldest from %s"
	textHistoryLeft     = " (not kept: %s)"
	textHistoryReason   = "%s (%s)"
	textHistoryOff      = "none, because %s"
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

// Texts of /start.
const (
	textWelcomeInGroup = "Mews is ready, with the model %s. In our private chat /start says more."
	textWelcomeCan     = "Write what you want done; you can also send pictures, files and voice messages. I take " +
		"notes, keep " +
		"lists and remind you. I read and change the files in your folder, and run programs there. For example:\n\n" +
		"- `take a note: call Ann on Friday`\n- `remind me tomorrow at 9 to water the plants`\n- `list my files`\n\n" +
		"I keep each message until it is answered, even if I restart.\n\n"
	textWelcomeSees  = "Your privacy here:\n\n"
	textSeenByAdmins = "- The admin (%s) runs this machine and can read everything on it. Reading through Mews " +
		"is recorded.\n"
	textSeenByAdminsToo  = "- You and the other admins (%s) can read everything on this machine.\n"
	textSeenByAdminAlone = "- You run this machine, and can read everything on it.\n"
	textSeenByCarrier    = "- %s carries what is written here.\n"
	textSeenByOthers     = "- Nobody else here sees your folder or your chats. “/help privacy” says more.\n"
)

// textsWelcome are the first words of /start; the key says whether the user is an admin.
var textsWelcome = map[bool]string{
	false: "Hello! You are %s here, a user of this Mews. I am your assistant, and you have a folder of your own.\n\n",
	true: "Hello! You are %s here, an admin of this Mews. I am your assistant, and you have a folder of your own. " +
		"“/invite NAME” lets somebody else in.\n\n",
}

// textsReader say who reads what a model gets, with the model's name.
var textsReader = map[model.RequestExposure]string{
	model.ExposureNone:    "- The model is %s, a list of rules: your words stay on this machine.\n",
	model.ExposureMachine: "- The model %s runs on this machine: your words stay here.\n",
	model.ExposureNetwork: "- The model %s runs in this network. Its server gets your words, and what I read for an " +
		"answer.\n",
	model.ExposureProvider: "- The provider of the model %s gets your words, and what I read of your files for an " +
		"answer.\n",
}

// Texts of the start of the service.
const (
	textReadyAlso = "  also    on Telegram, for the id in MEWS_TELEGRAM_ID; `mews status` shows whether Telegram " +
		"works\n"
	textReadyChat = "Talk to it:            mews chat   " +
		"(in another terminal; `mews run --chat` does both in one)\n"
	textReadyTelegram = "On Telegram:           TELEGRAM_TOKEN=123456:ABC... MEWS_TELEGRAM_ID=42 mews run\n" +
		"                       (a bot's token from @BotFather; your own numeric id, which @userinfobot tells you)\n"
	textReadyMore = "With your own model:   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 mews run\n" +
		"                       (Ollama, llama.cpp, or any other endpoint of that kind; " +
		"OPENAI_API_KEY if it needs one)\n" +
		"With a configuration:  copy deploy/mews.example.yaml to ./mews.yaml, then `mews check`\n\n"
)

// textsReady introduce the next steps for a service without a configuration. The key is true if the
// terminal is the only channel.
var textsReady = map[bool]string{
	true:  "Mews is ready, with nothing configured.\n\n",
	false: "Mews is ready, with the environment variables as its configuration.\n\n",
}

// Texts of mews models and mews activity.
const (
	textNoActivityKind = "There is no kind of activity %q. The kinds are %s."
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
