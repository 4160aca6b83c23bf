package github

// ServiceSwitch tells whether a service for a repository is on for a user.
type ServiceSwitch struct {
	Repo   string // the repository as owner/name
	What   RepoService
	On     bool
	Source SwitchSetter // who decided the value
}

// RepoService is something that Mews does for a repository: notices, reviews or triage.
type RepoService string

const (
	ServiceNotices RepoService = "notices"
	ServiceReviews RepoService = "reviews"
	ServiceTriage  RepoService = "triage"
)

// SwitchSetter tells who set a switch.
type SwitchSetter string

const (
	SetByConfig SwitchSetter = "configured"
	SetByAdmin  SwitchSetter = "admin" // an admin, for everybody
	SetByUser   SwitchSetter = "own"   // a user, for themselves
)
