package review

import "mews/supervisor"

const (
	textUsage  = "Write /review with a pull request's address, such as /review https://github.com/acme/widget/pull/3, and then what you want to know."
	textNoRepo = "There is no repository %s that I may review for you. An admin can add it to the configuration, under github: repos."
	textAsked  = "I am going to review %s#%d, and tell you what I find."

	textInbound = "Review %s at %s."

	textLeftAlone = "I don't review %s: %s."
	textFailed    = "I could not review %s. %s"

	textNotServed  = "Mews no longer serves this repository."
	textClosed     = "it is closed"
	textDraft      = "it is a draft"
	textBot        = "it is from a bot"
	textUnfinished = "its title says that it is not ready"
	textStopped    = "somebody has stopped its reviews"
	textLabelled   = "it has a label that turns reviews off"
	textDenied     = "you did not allow its review. Write “/review” and its address for a review"
	textNothingNew = "nothing in it is new since the last review"
	textHeads      = "it has reached its limit of automatic reviews. Write “/review” " +
		"and its address for another one"
	textClosedMeanwhile = "The pull request was closed during the review."
	textMergedMeanwhile = "The pull request was merged during the review."
	textGone            = "it no longer exists on GitHub"
	textNewer           = "a newer commit has its own review"
	textMayNot          = "the person who asked for the review may not write to the repository"
	textAllUnread       = "The model could read no part of the change: %s"
	textTurnEnded       = "Somebody stopped the review, or it crashed several times."

	textStranger = "May I review %s's pull request %s (%s)? Its author has no role in the repository. The review costs your repository's budget."

	textHidden    = "%s: GitHub does not show its changed lines"
	textMoreFiles = "there are more than 3,000 files, and GitHub lists no more"
	textSeenOne   = "part that was reviewed before"
	textSeenMany  = "parts that were reviewed before"
	textFile      = "file"
	textFiles     = "files"
	textBadSpec   = "The description names a specification whose path is not valid."
	textNoSpec    = "The description names a specification that is not in the base branch."
	textNoThreads = "Mews can't read earlier comments: this GitHub server has no GraphQL."

	textCard            = "**Review of %s:** %s"
	textCardFailed      = "Not reviewed. %s\n\n/review %s tries it once more."
	textCardFailedAgain = "Not reviewed again. %s The earlier review still holds.\n\n/review %s tries it once more."
	textCardSkipped     = "Not reviewed: %s."
	textCardFound       = "Found: %s."
	textCardNothingNew  = "Found: nothing new."
	textCardOpen        = "Still open from earlier reviews: %s."
	textCardRefuted     = "A second check rejected %s."
	textRefutedOne      = "finding"
	textRefutedMany     = "findings"
	textCardRead        = "Read %d of %s."
	textNothingToPost   = "Nothing was posted: the review read all files and found no problems. It cost %s%s."
	textOnlySummary     = "No comment was posted. The summary on GitHub is up to date. It cost %s%s."
	textNotPosted       = "Not posted: %s “Post again” posts the result, and costs nothing. The review cost %s%s."
	textWithModels      = " with %s"
	textCardMore        = "More findings: %d."
	textCardSkips       = "Left out: %s."
	textCardUnread      = "Not reviewed: %s."
	textNoPrice         = "an unknown amount"

	textGrown            = "**Reviewed** at `%s`: %s."
	textGrownFailed      = "**Not reviewed.**"
	textGrownFailedAgain = "**Not reviewed again** at `%s`. Findings so far: %s."

	textExplain = "Explain"
	textPost    = "Post"
	textMute    = "Mute"
	textPick    = "Post %d"

	textPostAgain     = "Post again"
	textStillUnposted = "Not posted to %s. %s"

	textNoReview     = "That review no longer exists. Write /review and the pull request's address for a new one."
	textPosted       = "Posted to %s."
	textPostedBefore = "Mews has already posted this result."
	textPostedNewer  = "A review of a newer commit of %s has been posted. It has these findings too."
	textReadNewer    = "The last review of %s was at `%s`. Post from its card, which has all open findings."
	textMuted        = "I no longer review %s by myself. /review %s still works, and `mews github quiet` lists the mutes."

	textByPress   = "the repository's user pressed Mute"
	textByComment = "a comment asked for it"
	textByThumb   = "a thumbs-down"
	textSomebody  = "somebody"
)

// Texts on GitHub about a head that was not read. They name no model, price or setting of this
// installation.
const (
	noteDraft      = "This pull request is a draft. Mews will review it when it is ready."
	noteUnfinished = "The title of this pull request says that it is not ready."
	noteHeads      = "This pull request has reached its limit of automatic reviews. Write `@%s review` for another one."
	noteMuted      = "Somebody has stopped the reviews of this pull request. Write `@%s review` for one."
	noteDenied     = "The person whom Mews asked did not allow this review."
	noteLabelled   = "This pull request has a label that turns reviews off."
	noteLimit      = "The review stopped because it reached its limit."
	noteNoAnswer   = "The reviewer gave no answer."
	noteGitHub     = "GitHub did not show the whole change."
	noteStopped    = "The review was stopped."
	noteFailed     = "The review failed."
	noteUnposted   = "Mews could not post the review's result."
)

// textsPosted has the last line of a card, by the form of the post. It says where the findings are,
// and names the cost and the models.
var textsPosted = map[supervisor.ReviewPostMode]string{
	supervisor.PostAsReview:   "Posted as a review. It cost %s%s.",
	supervisor.PostAsCheckRun: "Posted as a check. It cost %s%s.",
	supervisor.PostOnlyCard:   "Nothing is posted until you press Post. It cost %s%s.",
}
