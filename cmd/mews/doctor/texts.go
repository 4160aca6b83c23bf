package doctor

// Findings, in the order of the examinations.
const (
	textNeedAttention = "%d of these need attention"
	textTooLong       = "not known: it takes longer than %v"
	textNoConfig      = "none, which is fine"

	textSecrets       = "only the service and root can read them"
	textSecretForAll  = "%s holds a secret, and everybody on this machine can read it (mode %o): chmod o-rwx %s"
	textSecretOfGroup = "%s holds a secret. Its mode and group (mode %o, group %s) let these accounts read it: %s. For the socket, people need only the group " +
		"of socket_group, such as mews-people. Take them out of the secret's group: %s"
	textSecretOfList = "%s holds a secret, and its access control list lets these accounts read it: %s. " +
		"Remove the list: setfacl -b %s"
	textSecretOwned = "%s holds a secret and belongs to the account %s, which is neither the service's nor root's: chown root %s"

	textNoUnit      = "no systemd unit runs Mews here"
	textUnit        = "%s.service"
	textDrift       = "not as `mews install` has made it: %s; `mews install status` shows the difference"
	textNoDrift     = "all files are as `mews install` has made them"
	textDriftUnread = "not compared with what `mews install` has made; run mews doctor as root"
	textUnitAccount = "%s.service: there is no account %q (User=)"
	textUnreadable  = "%[1]s can't be read by the service's account %[2]s (mode %[3]o, group %[4]s). Run chgrp %[2]s %[1]s && chmod 640 %[1]s, or let systemd " +
		"pass it on: LoadCredential=%[5]s:%[1]s in the unit"
	textUnitHides     = "%s's folder %s is hidden from the service by ProtectHome=%s of %s.service: put ProtectHome=no and ReadWritePaths=%s into a drop-in, or choose another `home:`"
	textSpeechMemory  = "speech.in.model: %s takes %s of memory with the longest recording (speech.in.longest), and worker.memory leaves %s: choose a smaller model or shorter recordings, or raise worker.memory"
	textSpeechModel   = "speech.in.model: %s can't be used: %w"
	textSpeechProgram = "speech: there is no program %s in /usr/local/bin, /usr/bin or /bin, where workers see it; `mews help voice-setup` says how to get it"
	textUnitReadOnly  = "%s's folder %s can't be written by the service (ProtectSystem=strict of %s.service): add ReadWritePaths=%s in a drop-in, or choose another `home:`"
	textNotInPolicy   = "%s's account %s is not among the accounts of %s. Add the line `person %d:%d` " +
		"there and run systemctl restart %s"
	textOutsidePolicy = "%s's folder %s is not below a root of %s. Add the line `root %s` there and run systemctl restart %s, or choose another `home:`"

	textPrograms     = "mews, mews-spawner and mews-worker are there, %s"
	textOtherProgram = "mews is version %s, but %s reports %q. Install mews, mews-spawner and mews-worker of the same release, and then " +
		"restart Mews. `make build` builds all three"

	textVoiceOff    = "answers are not spoken: speech.out.engine is off"
	textVoiceServer = "answers can be spoken by %s, which runs on a server: the text of each answer is sent there"
	textVoice       = "answers can be spoken by %s (speech.out.engine: %s)"
	textVoiceNone   = "answers can't be spoken: there is no %s where workers see it. To change that, install espeak-ng and ffmpeg (apt-get install espeak-ng ffmpeg)"
	textNoWhisper   = "recordings can't be written down: there is no %s where workers see it; `mews help voice-setup` says how to get it"
	textVoiceLacks  = "speech.out.engine is %s, and there is no %s in /usr/local/bin, /usr/bin or /bin, where workers see it: install it, or choose another engine"

	textReaders   = "PDFs, films, recordings and HEIC pictures that people send can be opened"
	textNoPoppler = "PDFs that people send can't be read, because workers see no %s: apt-get install poppler-utils"
	textNoFFmpeg  = "films and recordings that people send can't be opened, because workers see no %s: apt-get install ffmpeg"
	textNoHEIF    = "phones' HEIC pictures can't be opened, because workers see no %s: apt-get install libheif-examples"

	textStateClosed = "%s can't be written by this account: %w; choose another `state:` or give the account the folder"
	textDiskFree    = "%s free below %s"
	textDiskLow     = "the disk of %s has little room: %s. With less than %s free, assistants can't write. Free " +
		"some space"
	textDiskFull = "the disk of %s is full: %s. When no space is left, Mews refuses messages. Free some space"

	textHomes          = "%s, and every folder is there"
	textHomesNotYet    = "%s, and %d of the folders are there; Mews makes the others when they are needed"
	textHomeClosed     = "%s's folder %s: %w"
	textHandOver       = "%s's folder %s belongs to an account that others share. Stop Mews and hand it over: %s"
	textHomeOwner      = "%s's folder %s belongs to uid %d, but their worker runs as uid %d. Choose another `home:`, or an `account:` that owns the folder"
	textHomeOfAccount  = "%s's folder %s belongs to the account %s, but their worker runs as uid %d. If that account is %s's, write `account: %s`; otherwise choose another `home:`"
	textUnknownAccount = "%s: there is no account %q on this machine: write another `account:`"
	textHomeMissing    = "%[1]s's folder %[2]s is not there: install -d -m 700 -o %[3]s -g %[3]s %[2]s"

	textProviderSilent = "provider %s: nothing answers at %s: %w; is it running, and is base_url right?"

	textNoTelegram     = "not configured; with TELEGRAM_TOKEN and MEWS_TELEGRAM_ID, you can talk there"
	textNoTelegramFile = "not configured; with telegram.token in %s, people can talk there"
	textChannelFails   = "messages from %s do not arrive properly: %s (since %s)"
	textTelegramFiles  = "telegram.files: %s can't be read: %w. Your Bot API server keeps its files in this folder, and this account must be able to read it"
	textTelegramSilent = "can't ask Telegram at %s who the bot is: %w. Check the token (@BotFather has it) and this machine's network"
	textNoGitHub       = "no repositories; `mews help github-setup` says how to set up reviews and notices"
	textGitHub         = "known as %s, %s, %s"
	textGitHubCalled   = "events come by webhook"
	textGitHubPolled   = "events come by polling"
	textNoServices     = "none; `mews help services` says how to add some"
	textServices       = "%s can be called"
	textPolling        = "polling"
	textWebhook        = "called at %s"

	textNotRunning = "not running; start it with `%s`"
	textRunning    = "running as process %d; gave up on %s"
	// findings about the database
	textBackupsUnread   = "can't be read: %v; run mews doctor as root or as the service's account"
	textNothingToBackUp = "nothing is stored yet"
	textNoBackup        = "there is none: make one with `mews backup`, or add `backup: {}` to the configuration"
	textBackupDamaged   = "the database in %s is damaged: %s; make a new one with `mews backup`"
	textBackupOld       = "the newest is %d days old; make one with `mews backup`"
	textBackupLacksHome = "the newest was made without the %s"
	textBackupsOneDisk  = "all are in %s, on the disk of the state folder. If that disk breaks, they are lost. " +
		"Set backup.to"
	textOldElsewhere   = "the newest copy on another disk is %d days old. `mews backup` says why none comes"
	textBackups        = "%s; the newest is of %s, with %s, %s"
	textNoDrill        = "no backup was tried yet; the service tries its newest one every month"
	textDrillFails     = "%s can't be restored: %s; make a new backup with `mews backup`"
	textDrillOld       = "a backup was last tried %d days ago: `mews restore --drill %s`"
	textDrill          = "%s can be restored, tried on %s, with %d homes"
	textUpdateFails    = "the last one failed: %s; `journalctl -u mews-update` says more"
	textNoFeed         = "no releases are looked for; update.feed names where they come from"
	textFeedOld        = "the list of releases at %s was last read %d days ago: `mews update --check` says why"
	textUpdatesByHand  = "`mews update` installs a newer release"
	textUpdatesDaily   = "a newer release is installed by itself"
	textFeedNever      = "; the list of releases was never read"
	textFeedRead       = "; the list of releases was read on %s"
	textDatabaseInUse  = "in use by the service, which checks it each week"
	textNoDatabase     = "not there yet; Mews makes the database when it starts"
	textDatabaseUnread = "%w; run mews doctor as root or as the service's account"
	textDatabase       = "%s, fully checked: no damage; schema %d"
	textDatabaseOlder  = "; the next start of Mews updates it to schema %d"
	textDatabaseCopies = "; %s of it, made before an update"
	textCannotStart    = "the worker of %s can't be started: %s"
	textOtherService   = "the service runs version %s, but this mews is version %s: %s"
)

// Findings about the gate, its key and the budget.
const (
	textNoFactors      = "nobody has a second factor yet; `mews totp enroll NAME` sets one up"
	textFactors        = "a second factor is set up for %s"
	textFactorsLacking = "%s must have a second factor and is locked out without one: `mews totp enroll %s`"
	textLockedOut      = "locked out after wrong codes: %s; `mews totp unlock NAME` lets them try again"

	textKeyFile      = "second factors are sealed with the key of access.key_file"
	textKeyNotYet    = "the key that seals second factors is made when Mews starts"
	textKeyUnread    = "%w; people with a second factor can't speak until the key can be read"
	textKeyOwn       = "%s can be read by this account alone"
	textKeyExposed   = "%s must belong to the service, and nobody else may read it: chown it to %d, and chmod 600"
	textKeyOfService = "%s can be read by the service's account alone, user id %d"

	textNoBudget    = "no limit on what models may cost; `budget:` in the configuration sets one"
	textNoPrice     = "there is a budget, but no known price for %s. Without a price, people with a budget get no answer from a model. Set prices in models.prices"
	textFree        = "calls of %s cost nothing. If that is wrong, set the price in models.prices"
	textNoFree      = "no configured model counts as free"
	textPricesKnown = "the price of every configured model is known"
)

// Findings about the walls and the limits.
const (
	textLimits        = "%s of memory and %d processes for each worker. %s"
	textLimitsUnknown = "unknown, because no walls work yet (see walls)"
	textSharedAccount = " %d people share one account and its kernel limits: %s."

	textSharedByChoice = "give each an `account:` of their own, or write `worker: {uids: auto}`"
	textSharedHomes    = "their homes or workspaces belong to it. Only root can share these with other accounts. That needs Linux 5.12 or later and " +
		"a file system such as ext4, XFS or Btrfs. A user without workspaces gets a user id of their own once their home is " +
		"handed over (see homes)"
	textSharedPools = " %d people share the kernel limits of one account: epoll watches, pipes, inotify, processes. A worker " +
		"that takes more than its share is stopped within seconds. Until then the others may have to wait. Run as root, or by " +
		"deploy/systemd/mews.service, Mews gives people accounts of their own, which share nothing. " +
		"These sysctls raise the limits for everybody: " +
		"fs.epoll.max_user_watches, fs.pipe-user-pages-soft and fs.inotify.max_user_instances."

	textVersionsOff       = "earlier versions of files are not kept, because worker.history is 0B"
	textVersionsNoLinux   = "earlier versions of files are not kept, because that needs Linux"
	textVersionsNoSandbox = "earlier versions of files are not kept, because worker.sandbox is off"
	textVersions          = "earlier versions of files: at most %s for each home, in %s"

	textVersionsUnused = "These folders with earlier versions of files are not in use: %s. " +
		"Delete or move them. For a removed person, `mews user delete NAME` does it."

	textHistoryNone  = " No file history is kept, because worker.history is 0B."
	textHistoryOff   = " No file history is kept, because without walls every program could change it."
	textHistoryModes = " Programs can neither read nor write the files of the file history. " +
		"But they can change their modes, times and attributes."

	// spawnerBetter is the spawner's text before the list of stronger tiers that failed.
	spawnerBetter = " Stronger walls do not work here: "
)

// Texts of `mews check`.
const (
	textNoConfigFile    = "no configuration file, so the defaults apply"
	textEmptyConfig     = "%s is empty, so the defaults apply"
	textChecked         = "%s: in order\n  state  %s\n  model  %s\n"
	textCheckedFree     = "  models without cost: %s\n"
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

	textEscapesSum  = "\n%d attempts in tier %s: %d stopped, %d known to succeed, %d not tried here, %d ESCAPED\n"
	textEscaped     = "%s escaped the walls of tier %q"
	textDaemonEnded = "the daemon ended with its worker"
	textDaemonLives = "the daemon lives on as process %d"
)

// Findings about the running service and the machine.
const (
	textCredentials       = "%s of the unit can be read by root alone"
	textCredentialMissing = "%s.service wants the credential %s from %s, which is not there: make the file, or " +
		"remove the line"
	textCredentialOpen = "%s is a credential of %s.service, and others than root can read it (mode " +
		"%o): chmod 600 %s"
	textCredentialChanged = "%s has changed since Mews started, and Mews still uses the old one: " +
		"systemctl restart %s"

	textKeyTried   = "%s answers"
	textKeyFails   = "%s does not answer: %s"
	textClockRight = "within %v of Telegram's"
	textClockWrong = "%s. Turn on time synchronisation: timedatectl set-ntp true"
	textNoHook     = "Telegram keeps the webhook %s, but the configuration says to poll. Mews removes " +
		"it when it starts"
	textOtherHook = "the bot's updates go to %q instead of %s: does another program use this bot's token?"
	textHookFails = "an update could not be delivered at %s: %s. %d updates wait at Telegram"
	textHook      = "Telegram calls %s; %d updates wait there"

	textPolled      = "answered %v ago"
	textPollNever   = "Telegram has not answered yet"
	textPollOld     = "the last answer is %v old; restart Mews if this lasts"
	textListensAt   = "%s answers"
	textListensNot  = "%s: nothing answers at %s, although the service runs: %w"
	textListenOff   = "listen: %s"
	textListenFree  = "%s can be used"
	textListenTaken = "%s: another program has %s: end it, or choose another port"
	textAlarmsTo    = "alarms go to %s, and to the chats of the admins"
	textAlarmsChats = "alarms go only to the chats of the admins; `mews help alarms` says how to get " +
		"them if Telegram fails"
	textHeartbeat    = "; a heartbeat every 5 minutes"
	textNotReadyNow  = "not ready: %s"
	textRaisedAlarms = "raised: %s"

	textMemory     = "%s of %s are left; %s"
	textMemoryLow  = "only %s of %s are left; %s"
	textMemoryMore = "%d turns at once may take %s, and the machine has %s: lower worker.memory or " +
		"limits.turns; %s"
	textSwap         = "%s of swap"
	textNoSwap       = "no swap, which is fine"
	textOpenFiles    = "%d files may be open at once"
	textOpenFilesFew = "only %d files may be open at once, and %d people may need %d: raise " +
		"LimitNOFILE in the unit, or ulimit -n"
)
