package app

// What admins read when the configuration is read again.
const (
	textNoFile = "Mews was started without a configuration file, so there is none to be read again. " +
		"Restart it to have it look for one."
	textNothingChanged = "Nothing was changed. %v"
	textFixed          = "systemd handed these over when Mews started, and only a restart reads them again: %s. After a change: %s"
	textWarnings       = "\nA start goes on without what is refused here:\n%v"
	textNeedsRestart   = "Nothing was changed, because this takes effect only at a restart: %s. Restart Mews%s, or take it back " +
		"and reload again.%s"
)

// What people read of the service as a whole, and admins of what can't be done.
const (
	textOtherAccount = "Mews is not running, and its state folder %s belongs to user id %d. Run this as that account, as with " +
		"`sudo -u '#%d'`, or while Mews runs."
	textJobModel = "the model %s is not for you; /models lists those that are"
)
