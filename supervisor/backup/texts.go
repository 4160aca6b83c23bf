package backup

// Texts for people.
const (
	textBusy   = "A backup is being made already. Wait for its end: `mews backup list` shows it."
	textNoRoom = "There is no room for a backup in %s. It needs %s, and %s are free. " +
		"Delete files there, or set backup.dir."
	textNotThinned = "Old backups could not be deleted: %s. "
	textTooLarge   = "The backups take more than %d %% of the disk. Raise backup.most, or set backup.dir. "
	textNoTarget   = "There is no folder %s. Make it, or mount its disk."
	textNotMounted = "%s has no %s any more, so its disk is not mounted. Mount it, " +
		"or name another folder in backup.to."
	textOthersTarget = "%s belongs to another instance of Mews, as its %s says. Name a folder of its own in " +
		"backup.to, or delete that file if the other one is gone."
	textNoRoomThere = "There is no room for a copy in %s. It needs %s, and %s are free."
	textNotSent     = "The backup could not be copied to %s: %s. "
	textSavingFiles = "files and configuration"
	textSavingHome  = "home of %s"
	textSending     = "copy for the other disk"

	textSavingDatabase = "database"
	textNeedsRecipient = "A backup has everybody's data, and would leave the disk for %s. " +
		"Set backup.recipient in the configuration to seal it, or add --plain."
)

// Texts about finished and running backups.
const (
	textBeginning     = "Beginning the backup"
	textDoing         = "Saving: %s"
	textPercent       = "Saving: %s, %d %%"
	textMade          = "The backup is in %s. It has %s and %s.\n"
	textSent          = "A copy is in %s.\n"
	textSecret        = "It may hold secrets: %s\n"
	textLeftOut       = "Left out: %s (%s)\n"
	textLeftOutOfHome = "Left out of the home of %s: %s\n"
	textNoBackups     = "There is no backup in %s. Make one with `mews backup`.\n"
	textListed        = "%-30s %10s  %s\n"
	textUnreadable    = "%-30s can't be read: %v\n"
	textDamagedCopy   = "The database in %s is damaged: %s. Make a new backup with `mews backup`.\n"
	textFileExists    = "%s is there already. Name another file."
)

// Reasons why something is left out of a backup.
const (
	textNoConfig     = "there is no configuration file, or Mews may not read it"
	textNoSealKey    = "the key is not in the state folder; keep a copy of it yourself"
	textDamagedBlob  = "its bytes in the spool are damaged"
	textHomeLater    = "homes are read once a day; the next full backup has it"
	textHomesDropped = "homes are kept for the last 3 times at which they were read"
	textAbsentHome   = "the home is not there now, so the backup keeps its last archive"
	textForeignHome  = "the home belongs to another OS account. It is only saved sealed: set backup.recipient"
)

// alwaysLeftOut begins the list of what a backup lacks.
var alwaysLeftOut = []LeftOut{
	{"workspaces", "they belong to people, not to Mews; back them up yourself"},
	{"index.db", "Mews makes the search index anew"},
	{"secret files", "tokens and keys in files of their own; a backup has only the configuration file"},
}
