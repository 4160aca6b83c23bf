package config

// tiers are the walls that there are, from the most. Those before seatbelt are other systems': mews-spawner refuses them.
var tiers = []string{"accounts", "namespaces", "landlock", "seatbelt", "off"}
