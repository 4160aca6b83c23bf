package notice

// Texts of notices. Names that are inserted are already escaped for Markdown.
const (
	textPush       = "**Push** to %s%s"
	textPushes     = "**%d pushes** to %s%s"
	textBranch     = "**New branch** %s%s"
	textBranchGone = "**Branch deleted**: %s%s"
	textMore       = "and %d more"
	textCompare    = "Compare"

	textPull        = "**PR %s %s** in %s%s"
	textBranches    = "%s into %s"
	textOpened      = "opened"
	textOpenedDraft = "opened as a draft"
	textClosed      = "closed"
	textMerged      = "merged"
	textReopened    = "reopened"
	textReady       = "ready for review"
	textDraftAgain  = "turned into a draft"
	textAsked       = "**You were asked to review %s** in %s%s"

	textIssue   = "**Issue %s %s** in %s%s"
	textRelease = "**Release** %s of %s%s"

	textSaid            = "**%s** %s in %s"
	textTalk            = "**%s** on %s in %s"
	textSaidBy          = "%s"
	textCommented       = "%s commented on"
	textApproved        = "%s approved"
	textChangesWanted   = "%s requested changes"
	textChangesWantedOn = "%s requested changes on"
	textReviewed        = "%s reviewed"
	textDismissed       = "%s dismissed a review"
	textDismissedOf     = "%s dismissed a review of"
	textComment         = "comment"
	textComments        = "comments"
	textReview          = "review"
	textReviews         = "reviews"

	textFailed    = "**%s failed** on %s"
	textRecovered = "**%s recovered** on %s"
	textCheck     = "check"
	textChecks    = "checks"
	textOfPull    = "%s in %s"

	textBy       = " by %s"
	textAnd      = " and "
	textSomebody = "somebody"
	textNoTitle  = "(no title)"
)
