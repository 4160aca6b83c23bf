package cgroup

// Sentences for people about what limits their processes.
const (
	textUnlimited = "A person's processes are limited one by one and not all together: %s. Have systemd run Mews from a unit " +
		"with Delegate=yes, on a system with cgroup v2, or run mews-spawner as root with the cgroup hierarchies mounted " +
		"writable. Until then a watchdog looks at the memory every few seconds."
	textLimited  = "A person's processes are limited all together by cgroup %s: %s."
	textLacking  = " There is no controller for: %s."
	textNotAlone = "make room for groups in %s: processes %d are in it too, and only Mews may be (it was not started from " +
		"a unit of its own with Delegate=yes)"
	textNoCgroups   = "this kernel has no control groups, or /proc is not mounted"
	textNotMounted  = "no control groups are mounted at %s"
	textNotMakeable = "no group can be made in %s (%v)"
)
