//go:build !darwin

package config

// tiers are the walls that there are, from the most.
var tiers = []string{"accounts", "namespaces", "landlock", "off"}
