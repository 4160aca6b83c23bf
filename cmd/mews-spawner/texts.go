package main

// Errors for people who start mews-spawner by hand or write its unit.
const (
	textWithPolicy = "mews-spawner is started by mews, which passes it a policy: %w"
	textWithSocket = "mews-spawner is started by mews, which passes it a socket: %w"
	textUsage      = "want mews-spawner --policy FILE -- PROGRAM and its arguments"
	textNotAsRoot  = "run by root, mews-spawner would start mews as root: start mews-spawner as the service's " +
		"account, with the capabilities " +
		"CAP_SETUID, CAP_SETGID and CAP_KILL (systemd: User= and AmbientCapabilities=)"
	textNotOnMacOS = "on macOS workers have the account of their service: start mews itself, which starts mews-spawner"
)
