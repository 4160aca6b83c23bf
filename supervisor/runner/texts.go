package runner

// Texts about turns that could not run.
const (
	textReadTooLong = "Reading took too long, so I stopped. Try again."
	textNoRunner    = "There is no runner for turns of kind %s."
	textAdminTold   = "an admin was told why, and `mews doctor` shows it"
	textStartFault  = "The assistant of %s can't be started: %s."
)
