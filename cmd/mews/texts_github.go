package main

// Texts about repositories on GitHub.
const (
	textGitHubWrong = "something on GitHub needs attention"

	textHookAsk       = "%s Change the webhook? [y/N] "
	textHookUnchanged = "the webhook was not changed; --yes changes it without asking"
	textRedeliverWhat = "mews github redeliver: name a delivery by its number in `mews github check`, or use --failed\n"
)

// Texts of review.
const (
	textReviewWhat = "mews review: name what to review: the address of a pull request, --diff FILE or --range A..B; --post is only for a pull request\n"
	textNotAllRead = "the review left some parts out; the missing parts and the reasons are above"
	textNotPosted  = "nothing was posted; the button “Post again” in the chat posts the review"
	textCritical   = "something critical was found"
)
