package alarm

// Notices, by condition: what happened, what to do, and the end.
const (
	textTelegram   = "Telegram does not work: %s."
	remedyTelegram = "Check this machine's network and the bot's token. `mews status` says more."
	endedTelegram  = "Telegram works again."

	textNotReady = "Mews is not ready: %s."
	remedyStuck  = "Restart Mews if this lasts. `mews status` and the log say more."
	endedPoll    = "Telegram answers polls again."

	textOutbox  = "Messages can't be sent: %s."
	endedOutbox = "Messages are sent again."

	endedDrain = "No message waits too long any more."

	endedLoop = "All parts of Mews move again."

	textDisk   = "The disk of the state folder is nearly full: %s."
	remedyDisk = "Make room. If the disk is full, Mews can't keep messages."
	endedDisk  = "The disk of the state folder has room again."

	remedyDatabase = "Messages are not lost, but wait at Telegram. Check the disk, then run `mews doctor`."
	endedDatabase  = "The database can be written again."

	textMemory   = "This machine has little memory left: %s."
	remedyMemory = "End other programs, or lower worker.memory and limits.turns in the configuration."
	endedMemory  = "This machine has memory left again."

	textWalls   = "%s can't be started."
	remedyWalls = "Run `mews doctor`, which says what to change."
	endedWalls  = "All assistants can be started again."

	textModel   = "A model refuses Mews: %s."
	remedyModel = "Check the key and the account at its provider. `mews doctor --calls` tries the key."
	endedModel  = "No model refuses Mews any more."

	textClock   = "This machine's clock is wrong: %s."
	remedyClock = "Turn on time synchronisation: timedatectl set-ntp true. Second factors and reminders need the time."
	endedClock  = "This machine's clock is right again."

	textBackup   = "Backups do not work: %s."
	remedyBackup = "Run `mews backup`, which says why, and `mews doctor`."
	endedBackup  = "Backups are made again."

	textCopy   = "Backups are not copied to another disk: %s."
	remedyCopy = "Check that disk, and backup.to in the configuration. Then run `mews backup`."
	endedCopy  = "Backups are copied to another disk again."

	textDrill   = "A backup can't be restored: %s."
	remedyDrill = "Run `mews backup`, then `mews restore --drill` with the new backup."
	endedDrill  = "The newest backup can be restored."

	textUpdate   = "The last update failed: %s."
	remedyUpdate = "The version before runs on. `journalctl -u mews-update` says more."
	endedUpdate  = "No update has failed lately."

	textSafeMode   = "Mews is in safe mode, where it keeps messages and runs no assistant: %s."
	remedySafeMode = "`mews service logs` shows why. After the repair, run `mews service reset`."
	endedSafeMode  = "Mews has left the safe mode."
)

// Texts for the URL.
const (
	textTitle      = "Mews"
	textTitleEnded = "Mews: over"
	textTarget     = "%s at %s"
)
