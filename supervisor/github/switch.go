package github

// Switch is a service for a repository that is on or off for a user.
type Switch struct {
	Repo   string // its supervisor.GitHubRepo's name
	What   Service
	On     bool
	Source Source // who set it
}

// Service is one thing that Mews does for a repository: notices, reviews or triage.
type Service string

const (
	ServiceNotices Service = "notices"
	ServiceReviews Service = "reviews"
	ServiceTriage  Service = "triage"
)

// Source is who set a switch.
type Source string

const (
	SourceConfigured Source = "configured"
	SourceAdmin      Source = "admin" // at runtime, for everybody
	SourceOwn        Source = "own"   // users, for themselves
)
