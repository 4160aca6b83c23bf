package sandbox

// Where a worker finds its person's folders, in the tiers that have mounts of their own.
const (
	HomeInside       = "/home"
	WorkspacesInside = "/workspaces"
)

// HomePath is where a worker of the tier finds the home that has the path home on the host.
func (t Tier) HomePath(home string) string {
	if t.AtLeast(TierNamespaces) {
		return HomeInside
	}
	return home
}

// TierVariable tells a worker its tier. The worker does not pass it on to what it starts.
const TierVariable = "MEWS_TIER"

// homeTmp is the folder in a home that stands for /tmp in the landlock tier.
const homeTmp = ".tmp"

// environment is the whole environment of a worker. Nothing of it comes from the process that
// starts it.
func environment(p Plan) []string {
	if p.homeless() {
		return []string{TierVariable + "=" + string(p.Tier)}
	}
	env := []string{
		TierVariable + "=" + string(p.Tier),
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"HOME=" + p.Tier.HomePath(p.Home.path()),
	}
	// the host's /tmp is everybody's, and Git ends where it may not read /etc/gitconfig
	if p.Tier == TierLandlock {
		env = append(env, "TMPDIR="+p.Home.path()+"/"+homeTmp, "GIT_CONFIG_NOSYSTEM=1")
	}
	return env
}

// path is the bind's on the host.
func (b Bind) path() string {
	switch {
	case b.Path == "" || b.Path == ".":
		return b.Root
	case b.Root == "/":
		return "/" + b.Path
	}
	return b.Root + "/" + b.Path
}
