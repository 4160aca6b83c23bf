package sandbox

import "fmt"

// Paths of the user's folders inside a worker, in the tiers in which workers have their own mounts.
const (
	InnerHomePath       = "/home"
	InnerWorkspacesPath = "/workspaces"
)

// HomePath returns the path of a home inside a worker. home is the path on the host.
func (t Tier) HomePath(home string) string {
	if t.AtLeast(TierNamespaces) {
		return InnerHomePath
	}
	return home
}

// TierVariable tells a worker its tier. The worker does not pass it on to its programs.
const TierVariable = "MEWS_TIER"

// homeTmp is the folder in a home that replaces /tmp in the landlock tier.
const homeTmp = ".tmp"

// environment returns the whole environment of a worker. It contains no variable of the process
// that starts the worker.
func environment(p Plan) []string {
	if p.hasNoFolders() {
		return []string{TierVariable + "=" + string(p.Tier)}
	}
	env := []string{
		TierVariable + "=" + string(p.Tier),
		"PATH=/usr/local/bin:/usr/bin:/bin",
		"LANG=C.UTF-8",
		"HOME=" + p.Tier.HomePath(p.Home.path()),
	}
	if p.History != (BindMount{}) {
		env = append(env, fmt.Sprint(historyVariable, "=", historyFD))
		if p.Tier == TierLandlock {
			env = append(env, fmt.Sprint(toolRulesVariable, "=", toolRulesFD))
		}
	}
	// all accounts use the host's /tmp, and Git fails if it may not read /etc/gitconfig
	if p.Tier == TierLandlock {
		env = append(env, "TMPDIR="+p.Home.path()+"/"+homeTmp, "GIT_CONFIG_NOSYSTEM=1")
	}
	return env
}

// path returns the bind's path on the host.
func (b BindMount) path() string {
	switch {
	case b.Path == "" || b.Path == ".":
		return b.Root
	case b.Root == "/":
		return "/" + b.Path
	}
	return b.Root + "/" + b.Path
}
