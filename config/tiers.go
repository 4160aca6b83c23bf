package config

// tiers are the sandbox's, from the best. On macOS there is only off; mews-spawner says so.
var tiers = []string{"accounts", "namespaces", "landlock", "off"}
