package cgroup

// Sentences for people about the limits of their processes.
const (
	textUnlimited = "A person's processes are limited one by one, but not all together: %s. Let systemd run Mews from a unit " +
		"with Delegate=yes, on a system with cgroup v2. Or run mews-spawner as root with the cgroup hierarchies mounted " +
		"writable. Until then a watchdog measures the memory every few seconds."
	textLimited  = "A person's processes are limited all together by cgroup %s: %s."
	textLacking  = " There is no controller for: %s."
	textNotAlone = "can't use %s for groups: only Mews may be in it, but processes %d are there too. Mews was not started " +
		"from its own unit with Delegate=yes"
	textNoCgroups   = "this kernel has no control groups, or /proc is not mounted"
	textNotMounted  = "no control groups are mounted at %s"
	textNotMakeable = "Mews cannot make a group in %s (%v)"
)
