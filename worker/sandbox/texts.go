package sandbox

// tierTexts explain the tiers to people.
var tierTexts = map[Tier]string{
	TierAccounts: "Each person's worker has its own files and processes, and no network. It runs as the OS account that the " +
		"configuration gives to the person. People without an account get a user id each if the configuration " +
		"reserves some. Otherwise they share one.",
	TierNamespaces: "Each person's worker has its own files and processes, and no network. All workers share one OS account, " +
		"unless the configuration gives a person another one.",
	TierLandlock: "Workers read and write only their person's files and reach no network. But they see the names of other " +
		"processes. They can change permissions, times and attributes of any file of their account, even other people's and Mews's. " +
		"Only Mews ends the processes that they leave running.",
	TierOff: "There are no walls around workers: a worker and its programs can do everything that their account can.",
}

// Sentences and parts of sentences for people.
const (
	textNoGoodWalls     = "no walls here are strong enough (the configuration wants %q or better):\n%s"
	textLessThanMin     = "sandbox %q is weaker than sandbox_min %q"
	textBetterWalls     = " Stronger walls do not work here: %s."
	textNoAccountChange = "this spawner may not change accounts; it needs CAP_SETUID, CAP_SETGID and CAP_KILL"
	textNoWallsOnMacOS  = "macOS has no walls for workers: set sandbox and sandbox_min to off to run workers " +
		"without any"
	textOldKernel = "it needs Linux 5.13 or later, and in a container a seccomp profile that allows this call: with Docker " +
		"--security-opt seccomp=unconfined"
	textProcMasked     = "a container that hides parts of /proc lets no process mount its own /proc"
	textLandlockTooOld = "the kernel has version %d of Landlock, and without namespaces %d is needed (Linux 6.12)"
	textNoLandlock     = "ENOSYS: the kernel has no Landlock, or a container's filter hides it; EOPNOTSUPP: Landlock is not in the kernel's lsm="
)

// namespaceAdvice is the advice for a process that may not make namespaces, by the text of its
// error.
var namespaceAdvice = []struct{ err, advice string }{
	{"no space left", "user namespaces are switched off: sysctl user.max_user_namespaces=15000, or run Mews as a service with " +
		"deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"operation not permitted", "user namespaces are switched off for accounts that are not root: " +
		"sysctl kernel.unprivileged_userns_clone=1, or in a container allow them in its seccomp profile, or run Mews as a service " +
		"with deploy/systemd/mews.service.d/no-user-namespaces.conf"},
	{"permission denied", "on Ubuntu an AppArmor profile must allow user namespaces: install deploy/apparmor/mews-spawner"},
	{"invalid argument", "the kernel has no user namespaces (CONFIG_USER_NS)"},
}
