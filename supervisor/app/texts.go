package app

// What admins read when the configuration is read again.
const (
	textNoFile = "Mews was started without a configuration file, so there is none to be read again. " +
		"Restart it to have it look for one."
	textAdminsOnly      = "Only an admin may do that; this account is not one."
	textNothingChanged  = "Nothing was changed. %v"
	textFixed           = "systemd handed these over when Mews started, and only a restart reads them again: %s. After a change: %s"
	textWarnings        = "\nA start goes on without what is refused here:\n%v"
	textNoRunner        = "Nothing runs a turn of kind %s."
	textNoActivityKind  = "There is no kind %q; there are %s."
	textAsking          = " (of which %s for an answer)"
	textActivityInGroup = "What was done for somebody is not told in a group. /activity tells them in their private chat."
	textNeedsRestart    = "Nothing was changed, because this takes effect only at a restart: %s. Restart Mews%s, or take it back " +
		"and reload again.%s"
)

// What people read of the service as a whole, and admins of what can't be done.
const (
	textOtherAccount = "Mews is not running, and its state folder %s belongs to user id %d. Run this as that account, as with " +
		"`sudo -u '#%d'`, or while Mews runs."
	textNoFolder        = "your folder or your account can't be used; `mews doctor` tells an admin why"
	textAdminTold       = "an admin was told why, and `mews doctor` says it"
	textStartFault      = "The assistant of %s can't be started: %s."
	textCantInvite      = "Nobody can be invited as %q: %v."
	textIndexed         = "; can be searched: %s of %s, %s"
	textIndexNothing    = "; its text files can't be searched yet"
	textIndexUnread     = " (not all of it has been read yet)"
	textIndexLeft       = " (left out: %s)"
	textIndexLarge      = "%d over 1 MiB"
	textIndexNotText    = "%d that are no text"
	textIndexUnreadable = "%d that can't be read"
	textIndexExcess     = "%d beyond 20,000 files"
	textStatusInGroup   = "Mews %s with the model %s; %s. In our private chat /status says more."
	textJobModel        = "the model %s is not for you; /models lists those that are"
	textWelcomeInGroup  = "The model is %s."
	textWelcome         = "The model is %s."
	textReady           = "Mews is ready, with nothing configured.\n\n"
	textReadyChat       = "Talk to it:            mews chat   (in another terminal; `mews run --chat` does both in one)\n"
	textReadyTelegram   = "On Telegram:           TELEGRAM_TOKEN=123456:ABC... MEWS_TELEGRAM_ID=42 mews run\n" +
		"                       (a bot's token from @BotFather; your own numeric id, which @userinfobot tells you)\n"
	textReadyMore = "With a model of yours: OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 mews run\n" +
		"                       (Ollama, llama.cpp, or any other endpoint of that kind; OPENAI_API_KEY where it wants one)\n" +
		"With a configuration:  copy deploy/mews.example.yaml to ./mews.yaml, then `mews check`\n\n"
	textDaysRange       = "Ask for 1 to %d days."
	textInviteSuspended = "%s is suspended, and an invite would not change that. `mews user enable %s` does."
	textNotArchived     = "The home of %s could not be archived. %s"
	textUploadsFailed   = "Your files could not be looked at. %s"
	textNoArchiveRoom   = "There is no room for an archive of the home of %s: %s are free for it. Make room on the disk of the state folder."
	textMoreLeftOut     = "and %d more\n"
)

// Of mews models and activity.
const (
	textProviderSilent = "%s did not say which models it has: %s\n"
	textInUseDefault   = "in use, the default"
	textInUse          = "in use"
	textDefault        = "the default"
	textNoActivity     = "nothing was done in that time\n"
	textOlderActivity  = "(the newest %d; --since and --kind tell of fewer)\n"
)

// Of mews usage.
const (
	textNoUsage   = "%s, since %s: no model was asked anything\n"
	textEverybody = "everybody"
	textNameless  = "(without a name)"
	textSum       = "all"
	textAbout     = "~"
	textEstimated = "~ is about: what calls came to that were stopped or broke off is estimated.\n"
)

var usageColumns = []string{"CALLS", "INPUT", "FROM CACHE", "OUTPUT", "COST", "WITHOUT A PRICE"}
