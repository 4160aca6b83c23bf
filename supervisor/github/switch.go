package github

// Switch is a service for a repository that is on or off for a user.
type Switch struct {
	Repo   string // the name of the supervisor.GitHubRepo
	What   Service
	On     bool
	Source Source // the source of the value
}

// Service is a service of Mews for a repository: notices, reviews or triage.
type Service string

const (
	ServiceNotices Service = "notices"
	ServiceReviews Service = "reviews"
	ServiceTriage  Service = "triage"
)

// Source says who set a switch.
type Source string

const (
	SourceConfigured Source = "configured"
	SourceAdmin      Source = "admin" // an admin, at runtime, for everybody
	SourceOwn        Source = "own"   // users, for themselves
)
