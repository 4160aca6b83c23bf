package main

// Of repositories on GitHub.
const (
	textGitHubLogin   = "GitHub knows Mews as %s"
	textGitHubLimit   = "%s: %d of %d left, until %s"
	textGitHubAllowed = "may do all that is configured"
	textGitHubHook    = "webhook %s sends %s"
	textGitHubWrong   = "something on GitHub needs attention"

	textCheckedRepo = "  github %s: %s's, %s; %s\n"
	textRepoNotices = "notices"
	textRepoReviews = "reviews (post: %s)"
	textRepoTriage  = "triage"
	textRepoCalled  = "GitHub calls"
	textRepoAsked   = "GitHub is asked every %v"

	textRedeliverWhat = "mews github redeliver: say which delivery, by its number in `mews github check`, or --failed\n"
	textRedelivered   = "GitHub was asked to send these again.\n"
	textNoRedelivery  = "There is nothing to be sent again.\n"
)

// Of reviews.
const (
	textReviewWhat    = "mews review: say what: the address of a pull request, --diff FILE or --range A..B; --post is for a pull request alone\n"
	textLongDiff      = "the diff has %s, and at most %s are reviewed at once: review a part of it"
	textWrongRange    = "--range %q: want two commits, as in main..HEAD"
	textReviewing     = "Reviewing ...\n"
	textReviewed      = "looked at %s in %s\n"
	textNoFindings    = "Nothing was found.\n"
	textNoneInRead    = "Nothing was found in what could be read.\n"
	textNotAllRead    = "not all of it was reviewed; what is missing, and why, is said above"
	textReviewSkipped = "Skipped: %s\n"
	textReviewUnread  = "NOT REVIEWED: %s\n"
	textReviewCost    = "Cost: %s\n"
	textCritical      = "something critical was found"
)
