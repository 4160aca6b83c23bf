package runner

// What people read of turns that could not be run.
const (
	textReadTooLong = "It took longer to read than it may. Try again."
	textNoRunner    = "Nothing runs a turn of kind %s."
	textAdminTold   = "an admin was told why, and `mews doctor` says it"
	textStartFault  = "The assistant of %s can't be started: %s."
)
