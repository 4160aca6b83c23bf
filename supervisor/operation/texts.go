package operation

// Reasons for which an operation was not done.
const (
	textParked = "This could not be done: %d attempts ended with the process that made them. It is put aside and will not be " +
		"tried again by itself. The log says how each of them ended."
	textFailed   = "This could not be done: the process that was to do it says that it failed. The log says why."
	textTimeout  = "This could not be done in the time that there is for it. Nothing of it is kept."
	textNoWorker = "This could not be done: no process can be started for this person at the moment. The log says why; " +
		"`mews doctor` may name the cause."
	textRefused  = "This could not be done: this person's assistant can't be started: %s."
	textNoFolder = "This could not be done: there is no room for it in the state folder. The log says why."
	textNotThere = "There is no such operation."
	textUnknown  = "This could not be done: this version of Mews does not know how."
	textUnwanted = "It is not wanted any more."
	textUserGone = "Its person is no user of Mews any more."
)

// Errors of archives and uploads.
const (
	textNotArchived   = "The home of %s could not be archived. %s"
	textUploadsFailed = "Your files could not be looked at. %s"
	textNoArchiveRoom = "There is no room for an archive of the home of %s: %s are free for it. " +
		"Make room on the disk of the state folder."
	textMoreLeftOut = "and %d more\n"
)
