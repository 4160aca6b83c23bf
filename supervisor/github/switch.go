package github

// Switch is something that is done about a repository for a person, or is not.
type Switch struct {
	Repo   string // its supervisor.GitHubRepo's name
	What   Service
	On     bool
	Source Source // who has decided
}

// Service is what is done about a repository.
type Service string

const (
	ServiceNotices Service = "notices"
	ServiceReviews Service = "reviews"
	ServiceTriage  Service = "triage"
)

// Source is who has decided whether something is done.
type Source string

const (
	SourceConfigured Source = "configured"
	SourceAdmin      Source = "admin" // while the service runs, for everybody
	SourceOwn        Source = "own"   // the person, for themselves
)
