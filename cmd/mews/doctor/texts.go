package doctor

// Findings, in the order of the examinations.
const (
	textNeedAttention = "%d of these need attention"
	textNoConfig      = "none, which is fine"

	textSecrets       = "only the service and root can read them"
	textSecretForAll  = "%s holds a secret, and everybody on this machine can read it (mode %o): chmod o-rwx %s"
	textSecretOfGroup = "%s holds a secret, and by its group (mode %o, group %s) these can read it: %s. For the socket people need the group of " +
		"socket_group alone, such as mews-people; take them out of this one: %s"
	textSecretOfList = "%s holds a secret, and by its access control list these can read it: %s: setfacl -b %s"
	textSecretOwned  = "%s holds a secret and belongs to the account %s, which is neither the service's nor root's: chown root %s"

	textNoUnit      = "none runs Mews here"
	textUnit        = "%s.service"
	textUnitAccount = "%s.service: there is no account %q (User=)"
	textUnreadable  = "%[1]s can't be read by the service's account %[2]s (mode %[3]o, group %[4]s): chgrp %[2]s %[1]s && chmod 640 %[1]s, or have systemd " +
		"hand it over: LoadCredential=%[5]s:%[1]s in the unit"
	textUnitHides     = "%s's folder %s is hidden from the service by ProtectHome=%s of %s.service: put ProtectHome=no and ReadWritePaths=%s into a drop-in, or choose another `home:`"
	textSpeechMemory  = "speech.in.model: %s takes %s of memory with the longest recording (speech.in.longest), and worker.memory leaves %s: choose a smaller model or shorter recordings, or raise worker.memory"
	textSpeechModel   = "speech.in.model: %s can't be used: %w"
	textSpeechProgram = "speech: there is no program %s in /usr/local/bin, /usr/bin or /bin, where workers see it; `mews help voice-setup` says how to get it"
	textUnitReadOnly  = "%s's folder %s can't be written by the service (ProtectSystem=strict of %s.service): add ReadWritePaths=%s in a drop-in, or choose another `home:`"
	textOutsidePolicy = "%s's folder %s lies outside the roots of %s: add the line `root %s` there, and systemctl restart %s; or choose another `home:`"

	textPrograms     = "mews, mews-spawner and mews-worker are there, %s"
	textOtherProgram = "mews is %s and %s says %q: install mews, mews-spawner and mews-worker of one release together, and then " +
		"restart Mews; `make build` makes all three alike"

	textVoiceOff    = "answers are not spoken: speech.out.engine is off"
	textVoiceServer = "answers can be spoken by %s, a server's: their words go there"
	textVoice       = "answers can be spoken by %s (speech.out.engine: %s)"
	textVoiceNone   = "answers can't be spoken: there is no %s where workers see it. To change that, install espeak-ng and ffmpeg (apt-get install espeak-ng ffmpeg)"
	textVoiceLacks  = "speech.out.engine is %s, and there is no %s in /usr/local/bin, /usr/bin or /bin, where workers see it: install it, or choose another engine"

	textReaders   = "PDFs, films and recordings that people send can be opened"
	textNoPoppler = "PDFs that people send can't be read, because workers see no %s: apt-get install poppler-utils"
	textNoFFmpeg  = "films, recordings and phones' HEIC pictures that people send can't be opened, because workers see no %s: apt-get install ffmpeg"

	textStateClosed = "%s can't be written by this account: %w; choose another `state:` or give the account the folder"
	textDiskFree    = "%s free below %s"
	textDiskLow     = "only %s are free below %s; messages are refused when it is full: make room"

	textHomes          = "%s with a folder"
	textHomeClosed     = "%s's folder %s: %w"
	textHandOver       = "%s's folder %s belongs to an account that others share. Stop Mews and hand it over: %s"
	textHomeOwner      = "%s's folder %s belongs to uid %d, and their worker is uid %d: choose another `home:`, or an `account:` whose folder it is"
	textHomeOfAccount  = "%s's folder %s belongs to the account %s, and their worker is uid %d: where that account is %s's, write `account: %s`; else choose another `home:`"
	textUnknownAccount = "%s: there is no account %q on this machine: write another `account:`"
	textHomeMissing    = "%[1]s's folder %[2]s is not there: install -d -m 700 -o %[3]s -g %[3]s %[2]s"

	textProviderSilent = "provider %s: nothing answers at %s: %w; is it running, and is base_url right?"

	textNoTelegram     = "not configured; with telegram.token, or TELEGRAM_TOKEN and MEWS_TELEGRAM_ID, people can talk there"
	textChannelFails   = "messages from %s do not come as they should: %s (since %s)"
	textTelegramFiles  = "telegram.files: %s can't be read: %w; it is the folder that your Bot API server works in, and has to be there for this account"
	textTelegramSilent = "ask Telegram at %s who the bot is: %w; is the token right (@BotFather has it), and the network there?"
	textNoGitHub       = "no repositories; `mews help github-setup` says how to set up reviews and notices"
	textGitHub         = "known as %s, %s, %s"
	textGitHubCalled   = "events come by webhook"
	textGitHubPolled   = "events come by polling"
	textPolling        = "polling"
	textWebhook        = "called at %s"

	textNotRunning = "not running; start it with `%s`"
	textRunning    = "running, process %d, %s given up on"
	// findings about the database
	textDatabaseInUse  = "in use by the service, which checks it each week"
	textNoDatabase     = "made when Mews starts"
	textDatabaseUnread = "%w; run mews doctor as root or as the service's account"
	textDatabase       = "%s, read whole: no damage; schema %d"
	textDatabaseCopies = "; %s of it from before an update"
	textCannotStart    = "the worker of %s can't be started: %s"
	textOtherService   = "the service runs version %s and this is %s: %s"
)

// Findings about the gate, its key and the budget.
const (
	textNoFactors      = "nobody has a second factor yet; `mews totp enroll NAME` sets one up"
	textFactors        = "a second factor is set up for %s"
	textFactorsLacking = "%s must have a second factor and is locked out without one: `mews totp enroll %s`"
	textLockedOut      = "locked out after wrong codes: %s; `mews totp unlock NAME` takes codes again"

	textKeyFile      = "second factors are sealed with the key of access.key_file"
	textKeyNotYet    = "the key that seals second factors is made when Mews starts"
	textKeyUnread    = "%w; people with a second factor can't speak until the key can be read"
	textKeyOwn       = "%s can be read by this account alone"
	textKeyExposed   = "%s must belong to the service, and nobody else may read it: chown it to %d, and chmod 600"
	textKeyOfService = "%s can be read by the service's account alone, user id %d"

	textNoBudget    = "no limit on what models may cost; `budget:` in the configuration sets one"
	textNoPrice     = "there is a budget, but no price is known for %s: people with a budget get no answer from there. Set prices in models.prices"
	textFree        = "calls of %s cost nothing. If that is wrong, set the price in models.prices"
	textNoFree      = "no configured model counts as free"
	textPricesKnown = "the price of every configured model is known"
)

// Findings about the sandbox and the limits.
const (
	textLimits        = "%s of memory and %d processes for each worker. %s"
	textLimitsUnknown = "not known before there are walls"
	textSharedAccount = " %d people share one account, and what the kernel counts for it: %s."

	textSharedByChoice = "give each an `account:` of their own, or write `worker: {uids: auto}`"
	textSharedHomes    = "their homes or workspaces belong to it, and can't be shared with another account. Only root can share them, on Linux 5.12 or later and " +
		"a file system such as ext4, XFS or Btrfs. A user without workspaces gets a user id of their own once their home is " +
		"handed over (see homes)"
	textSharedPools = " %d people share the kernel's limits of one account: epoll watches, pipes, inotify, processes. A worker " +
		"that takes more than its part is ended within seconds. Until then the others may have to wait. Run as root, or by " +
		"deploy/systemd/mews.service, Mews gives people accounts of their own, which share nothing; with sysctl " +
		"fs.epoll.max_user_watches, fs.pipe-user-pages-soft and fs.inotify.max_user_instances everybody has more."

	// spawnerBetter is the spawner's text before the tiers that failed.
	spawnerBetter = " Better walls do not hold here: "
)

// Texts of `mews check`.
const (
	textNoConfigFile    = "no configuration file; the defaults"
	textEmptyConfig     = "%s is empty; the defaults"
	textChecked         = "%s: in order\n  state  %s\n  model  %s\n"
	textCheckedFree     = "  free   %s\n"
	textCheckedTelegram = "  telegram, at %s\n"
	textCheckedUser     = "  user   %s (%s), folder %s%s\n"
	textCheckedID       = ", telegram %d"
	textCheckedTOTP     = ", second factor %s"
	textCheckedBudget   = ", budget %s"
	textCheckedHint     = "  note: %s\n"
	textCheckedRepo     = "  github %s: %s's, %s; %s\n"
	textRepoNotices     = "notices"
	textRepoReviews     = "reviews (post: %s)"
	textRepoTriage      = "triage"
	textRepoCalled      = "events come by webhook"
	textRepoAsked       = "events come by polling every %v"
	textFolderMissing   = "%[1]s: there is no folder %[2]s, and no worker starts without it: make it, or remove it " +
		"from %[1]s"
	textFolderIsFile = "%[1]s: %[2]s is no folder, and no worker starts with it: name a folder, or remove it from " +
		"%[1]s"
	textAccountMissing = "users[%[1]d].account: there is no account %[2]q on this machine: write another, or remove " +
		"it; " +
		"then %[3]s has the service's account"
)

// Texts of `mews voice`.
const (
	textVoiceEngines = "recordings are transcribed by %s (speech.in, language %s); answers are spoken by %s " +
		"(speech.out)\n"
	textVoiceRow      = "  %-12s %s\n"
	textNotInstalled  = "not installed in a folder that workers see: %s"
	textFromFFmpeg    = "apt-get install ffmpeg, on Debian"
	textFromManual    = "`mews help voice-setup` says how to get it"
	textFromEspeak    = "apt-get install espeak-ng, on Debian"
	textFromPiper     = "it is only needed for speech.out.engine: piper"
	textModel         = "model"
	textNoSpeechModel = "none: name one in speech.in.model; `mews help voice-setup` says how to get one"
	textModelServer   = "%s, on a server, which gets the recordings"
	textModelMemory   = "%s, which takes %s of memory"
)

// Texts of attempts to escape.
const (
	markStopped = "stopped"
	markUntried = "not tried"
	markEscaped = "ESCAPED"
	markKnown   = "known" // the attempt is known to succeed in this tier

	textEscapesSum  = "\n%d attempts in tier %s: %d stopped, %d known not to be, %d not tried here, %d ESCAPED\n"
	textEscaped     = "%s got out of the walls %q"
	textDaemonEnded = "the daemon ended with its worker"
	textDaemonLives = "the daemon lives on as process %d"
)
