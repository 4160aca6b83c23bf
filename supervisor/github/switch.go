package github

// Switch tells whether a service for a repository is on for a user.
type Switch struct {
	Repo   string // the repository as owner/name
	What   Service
	On     bool
	Source Source // who decided the value
}

// Service is something that Mews does for a repository: notices, reviews or triage.
type Service string

const (
	ServiceNotices Service = "notices"
	ServiceReviews Service = "reviews"
	ServiceTriage  Service = "triage"
)

// Source tells who set a switch.
type Source string

const (
	SourceConfigured Source = "configured"
	SourceAdmin      Source = "admin" // an admin, for everybody
	SourceOwn        Source = "own"   // a user, for themselves
)
