package unit

// Errors of `mews service`.
const (
	textInstance    = "%q is no name of an instance: use a-z, 0-9 and -, at most 31 letters, a letter first"
	textServiceWord = "%q is unknown: use start, stop, restart, logs, status or reset"
	textNoSystemd   = "systemd does not run this machine, so there is no service to command. " +
		"Start Mews with `mews run`"
)
