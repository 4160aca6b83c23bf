package main

// Texts about repositories on GitHub.
const (
	textGitHubWrong = "something on GitHub needs attention"

	textHookAsk       = "%s Change it? [y/N] "
	textHookUnchanged = "the webhook was not changed; --yes changes it without asking"
	textRedeliverWhat = "mews github redeliver: name a delivery by its number in `mews github check`, or use --failed\n"
)

// Texts of review.
const (
	textReviewWhat = "mews review: name what to review: the address of a pull request, --diff FILE or --range A..B; --post is only for a pull request\n"
	textNotAllRead = "not all of it was reviewed; the missing parts and the reasons are above"
	textNotPosted  = "nothing was posted; the card in the chat can post it again"
	textCritical   = "something critical was found"
)
