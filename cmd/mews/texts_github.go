package main

// Texts about repositories on GitHub.
const (
	textGitHubWrong = "something on GitHub needs attention"

	textCheckedRepo = "  github %s: %s's, %s; %s\n"
	textRepoNotices = "notices"
	textRepoReviews = "reviews (post: %s)"
	textRepoTriage  = "triage"
	textRepoCalled  = "GitHub calls"
	textRepoAsked   = "GitHub is asked every %v"

	textRedeliverWhat = "mews github redeliver: say which delivery, by its number in `mews github check`, or --failed\n"
)

// Texts of review.
const (
	textReviewWhat = "mews review: say what: the address of a pull request, --diff FILE or --range A..B; --post is for a pull request alone\n"
	textNotAllRead = "not all of it was reviewed; what is missing, and why, is said above"
	textCritical   = "something critical was found"
)
