package runner

// Texts about turns that could not run.
const (
	textReadTooLong = "Reading took too long, so I stopped. Try again."
	textNoRunner    = "This version of Mews cannot do work of the kind %s."
	textAdminTold   = "an admin was told why, and `mews doctor` shows it"
	textStartFault  = "The assistant of %s can't be started: %s."
)
