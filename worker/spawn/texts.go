package spawn

// Sentences for people about what limits workers.
const (
	textNoGroups        = "No control groups: %v." + textWatchdog
	textWatchdog        = " A watchdog looks at the memory every few seconds."
	textNoLimitsOnMacOS = "None: macOS has none for a worker and all that it runs."
)
