package spawn

// Sentences for people about the limits of workers.
const (
	textNoGroups        = "No control groups: %v." + textWatchdog
	textWatchdog        = " A watchdog measures the memory every few seconds."
	textNoLimitsOnMacOS = "None: macOS has no limits for a worker and its programs together."
)
