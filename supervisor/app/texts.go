package app

// Texts for admins about reloads.
const (
	textNoFile = "Mews was started without a configuration file, so there is none to reload. " +
		"Restart Mews to use a new file."
	textNothingChanged = "Nothing was changed. %v"
	textRestartOnly    = "systemd passes these secrets only when Mews starts: %s. After you change one, run: %s"
	textOtherBot       = "The new telegram.token takes effect only at a restart. Everything else is in force. " +
		"Messages and " +
		"chats belong to a bot, so Mews keeps the old bot until you restart Mews%s."
	textTokenRefused = "Telegram refuses the new telegram.token, so the old one stays in use. Everything else is in " +
		"force. Copy the token from @BotFather again, then run `mews reload`."
	textTokenUnchecked = "Telegram did not say whether it accepts the new telegram.token, so the old one stays in " +
		"use: %v. Everything else is in force. Run `mews reload` again later."
	textWarnings     = "\nMews starts without these refused settings:\n%v"
	textNeedsRestart = "Nothing was changed, because this takes effect only at a restart: %s. Restart Mews%s, " +
		"or undo the change " +
		"and reload again.%s"
)

// The service's status for the service manager, as `systemctl status` shows it.
const (
	textOpensDatabase = "Opens and updates the database, or tries a new version."
	textManagerStatus = "People: %d. Way in: %s."
	textWayTerminal   = "terminal"
	textWayTelegram   = "Telegram, %s, %s"
	textInSafeMode    = ". SAFE MODE"
	textStops         = "Stops."
)

// Texts while the database does not open.
const (
	textNoDatabase      = "I can't open my database, so I answer you once an admin has repaired it; nothing is lost."
	textNoDatabaseAdmin = "Mews can't open its database: %v\nMessages wait at Telegram. `mews service logs` says " +
		"more. Mews tries again by itself."
	textManagerNoDatabase = "The database does not open: %v"
)

// Texts of the safe mode.
const (
	textSafeMode = "I can only keep your messages now, and I answer them once an admin has repaired me."
	// for admins
	textSafeModeAdmin = "Mews started in safe mode, because it crashed %d times in a row. It keeps all messages " +
		"and sends reminders, but it runs no assistant. `mews service logs` shows why it crashed. After the repair, " +
		"run `mews service reset`. In an hour Mews tries a full start by itself."
	textSafeModeAsked = "Mews started in safe mode, because of the flag --safe-mode. It keeps all messages and sends " +
		"reminders, but it runs no assistant."
	textNoBackupInSafeMode = "Mews is in safe mode, where it makes no backups. Stop it, and call `mews backup` again."
)

// Texts about a provider's wrong key.
const (
	textCheckVariable    = "Check the environment variable %s, and start Mews again."
	textCheckKeyVariable = "Check its api_key in the configuration, which is the environment variable %s, and start " +
		"Mews again."
	textCheckKeyFile = "Check its api_key_file in the configuration, %s, and then run `mews reload`."
	textCheckKey     = "Check its api_key in the configuration, and then run `mews reload`."
)

// textServiceOff names a service that lacks its secret.
const textServiceOff = "The service %s is off, because its auth.secret is not set. Set the secret, then run " +
	"`mews reload`, or start Mews again if it is an environment variable."

// textJoined tells admins who came in by an invite.
const textJoined = "%s has come in by an invite, with the %s account %s. If that is somebody else, run " +
	"`mews user disconnect %s %s`."

// textJoinedAsYou tells a user that an invite has connected one more account to the user.
const textJoinedAsYou = "A new account speaks as you, %s, from now on: the %s account %s came in by an invite. " +
	"If it is not yours, take it away: an admin runs `mews user disconnect %s %s`."

// textHomesLost says why the service does not start if the folder of homes is missing.
const textHomesLost = "The folder of people's homes, %s, is missing, with the files of %s. " +
	"Put the folder back if you have a copy. `mews run --new-homes` makes empty homes instead."

// textNoInodes says why the service does not start on a disk that can hold no more files.
const textNoInodes = "The disk of Mews's state folder %[1]s has no room for new files: its inodes are used up. " +
	"Delete many small files there, then start Mews again. `df -i %[1]s` shows the room."

// Texts about the state folder and about models of jobs.
const (
	textOtherAccount = "Mews is not running, and its state folder %s belongs to user id %d. Start Mews, or run this as " +
		"root or as that account: `sudo -u '#%d'`."
	textOnlyOwner = "Mews is not running, and its state folder belongs to user id %d. Start Mews, or run this " +
		"as that account: `sudo -u '#%d'`."
	textNoWorkers = "Mews can't start the process that reads a folder: %v."
	textJobModel  = "you may not use the model %s; /models lists the models that you may use"
)

// textHistoryLeft ends an answer about forgetting if no worker can use the user's file history.
const textHistoryLeft = "\n\nEarlier versions of your files stay in `%s`, which I can't open. " +
	"Ask your admin to delete it."

// Reasons why no file history is kept.
const (
	textNoHistoryRoom    = "worker.history is 0B"
	textNoHistorySystem  = "they need Linux"
	textNoHistorySandbox = "they need walls, and worker.sandbox is off"
)

// textAnswerInPrivate is what a group reads instead of an answer that its user sees first.
const textAnswerInPrivate = "%s sees my answer in private first: words of others here may have asked for it."

// Texts of an update.
const (
	textTrialNotStored        = "store a message in a trial: %w"
	textTrialNoAnswer         = "a trial message got no answer: %w"
	textPreflightDatabase     = "its migrations fail on a copy of the database: %w"
	textPreflightTurn         = "it does not answer a message on this machine: %w"
	textCopyBusy              = "the database changes too fast to copy it; try again when fewer people write"
	textUpdated               = "Mews is now version %s; before it was %s.\n\n%s"
	textUpdateFailed          = "The last update failed, so the version before keeps running. %s"
	textUpdatePause           = "Mews is updated to %s now. It answers nobody for about %v."
	textTrialStuck            = "these parts do not answer a ping: %s"
	textAcceptOldByRoot       = "only root may accept an index that is no longer valid: %w"
	textNewestRuns            = "mews %s is the newest release\n"
	textUpdateFound           = "%s is there; %s is installed. What is new:\n\n%s\n\n"
	textUpdateAsked           = "%s is verified and will be installed now. `journalctl -fu mews-update` shows how\n"
	textNotInstalledByRelease = "this Mews was not installed from a release (%w). " +
		"See the page update of the manual"
	textNotProved = "version %s did not answer a trial message on this machine. " +
		"Go back to the version before if it answers nobody. Reason: %w"
	textNoPreflightRoom = "%s has %d MiB free; the trial of the database needs %d MiB. Make room, then try again"
)

// Reasons why the service is not ready, and details of alarms.
const (
	textTelegramStarts = "Telegram has not answered yet"
	textTelegramFails  = "Telegram: %s"
	textPollOld        = "Telegram has not answered a poll since %s"
	textDatabaseFault  = "the database can't be written: %s"
	textLoopStuck      = "these parts stand still: %s"
	textDrainOld       = "a message waits to be sent since %s"
	textMemoryLeft     = "%s of %s"
	textClockAhead     = "it is %s ahead of Telegram's"
	textClockBehind    = "it is %s behind Telegram's"
	textListenOff      = "off: "

	textBackupFailed    = "the last one failed"
	textBackupNotYet    = "none was made since the last one failed"
	textBackupDamaged   = "the newest copy of the database is damaged"
	textBackupsUnread   = "their folder can't be read: %s"
	textBackupNone      = "there is none"
	textBackupOld       = "the newest is of %s"
	textBackupHomesOld  = "no home was read since %s"
	textCopyNone        = "there is no copy"
	textCopyOld         = "the newest copy is of %s"
	textDrillFailed     = "%s is not whole"
	textSafeModeCrashes = "it crashed %d times in a row"
	textSafeModeOn      = "safe mode, because %s"
	textSafeModeFlag    = "it was started with --safe-mode"
)
