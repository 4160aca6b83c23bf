package app

// What admins read when the configuration is read again.
const (
	textNoFile = "Mews was started without a configuration file, so there is none to be read again. " +
		"Restart it to have it look for one."
	textNothingChanged = "Nothing was changed. %v"
	textNeedsRestart   = "Nothing was changed, for this holds only after a restart: %s. Restart Mews, or take it back and reload again."
)
