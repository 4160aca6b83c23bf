package operation

// Texts about operations that failed.
const (
	textParked = "This could not be done: the process for it ended in all %d attempts. It will " +
		"not be tried again. The log has the reasons."
	textFailed = "This could not be done: its process reported a failure. The log says " +
		"why."
	textDied     = "This could not be done: its process has ended too early. The log says why."
	textTimeout  = "This took too long and was stopped. Nothing was kept."
	textNoWorker = "This could not be done: no process can be started for this user now. The log " +
		"says why; `mews doctor` may name the cause."
	textRefused  = "This could not be done: this user's assistant can't be started: %s."
	textNoFolder = "This could not be done: the state folder has no room for it. The log says why."
	textNotThere = "There is no such operation."
	textUnknown  = "This could not be done: this version of Mews does not know how."
	textUnwanted = "The work is no longer needed."
	textUserGone = "The person is no longer a user of Mews."
)

// Errors of archives and uploads.
const (
	textNotArchived   = "The home of %s could not be archived. %s"
	textUploadsFailed = "Your files could not be read. %s"
	textNoArchiveRoom = "There is no room for an archive of the home of %s: %s are free for it. " +
		"Make room on the disk of the state folder."
	textMoreLeftOut = "and %d more\n"
)
