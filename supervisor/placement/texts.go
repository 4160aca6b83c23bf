package placement

// What people are told when something that ran for them came up against a limit. The figure is the limit.
const (
	textMemory = "Something that I ran needed more than the %s of memory that I may use, and was ended. " +
		"I go on without it. An admin can allow more in the configuration: worker.memory."
	textProcesses = "Something that I ran wanted more than the %d processes that I may have at once, and was stopped. " +
		"I go on without it. An admin can allow more in the configuration: worker.pids."
	textOtherLimit = "Something that I ran came up against the limit of %s."
)
