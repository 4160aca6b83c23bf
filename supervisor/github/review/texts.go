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
	textDenied     = "you did not allow it. Write “/review” and its address for a review"
	textNothingNew = "nothing in it is new since the last review"
	textHeads      = "it has reached its limit of automatic reviews. Write “/review” " +
		"and its address for another one"
	textClosedMeanwhile = "The pull request was closed during the review."
	textMergedMeanwhile = "The pull request was merged during the review."
	textGone            = "it is not there any more"
	textNewer           = "a newer commit has its own review"
	textMayNot          = "the person who asked for it may not write to the repository"
	textAllUnread       = "No part of it could be read: %s"
	textTurnEnded       = "The review was stopped, or it crashed its workers."

	textStranger = "May I review %s's pull request %s (%s)? Its author has no role in the repository. The review costs your repository's budget."

	textHidden    = "%s: GitHub does not show its changed lines"
	textMoreFiles = "there are more than 3,000 files, and GitHub lists no more"
	textSeenOne   = "part that was reviewed before"
	textSeenMany  = "parts that were reviewed before"
	textFile      = "file"
	textFiles     = "files"
	textBadSpec   = "The description names a specification whose path is not valid."
	textNoSpec    = "The specification that is named is not in the base branch."
	textNoThreads = "Earlier threads can't be read: this server has no GraphQL."

	textCard            = "**Review of %s:** %s"
	textCardFailed      = "Not reviewed. %s\n\n/review %s tries it once more."
	textCardFailedAgain = "Not reviewed again. %s The earlier review still holds.\n\n/review %s tries it once more."
	textCardSkipped     = "Not reviewed: %s."
	textCardFound       = "Found: %s."
	textCardNothingNew  = "Found: nothing new."
	textCardOpen        = "Still open from before: %s."
	textCardRefuted     = "A second look refuted %s."
	textRefutedOne      = "finding"
	textRefutedMany     = "findings"
	textCardRead        = "Read %d of %s."
	textNothingToPost   = "Nothing is posted: all was read, and nothing found. It cost %s%s."
	textOnlySummary     = "No comment was posted. The summary on GitHub is up to date. It cost %s%s."
	textNotPosted       = "Not posted: %s “Post again” posts this, and costs nothing. The review cost %s%s."
	textWithModels      = " with %s"
	textCardMore        = "And %d more."
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

	textNoReview     = "That review is not there any more."
	textPosted       = "Posted to %s."
	textPostedBefore = "That was posted before."
	textPostedNewer  = "A review of a newer commit of %s has been posted. It has these findings too."
	textReadNewer    = "The last review of %s was at `%s`. Post from its card, which has all open findings."
	textMuted        = "I no longer review %s by myself. /review %s still works, and `mews github quiet` lists the mutes."

	textByPress   = "its user has pressed Mute"
	textByComment = "a comment asked for it"
	textByThumb   = "a thumbs-down"
	textSomebody  = "somebody"
)

// Texts on GitHub about a head that was not read. They name no model, price or setting of this
// installation.
const (
	noteDraft      = "It is a draft. It will be reviewed when it is ready."
	noteUnfinished = "Its title says that it is not ready."
	noteHeads      = "It has had its number of automatic reviews. Write `@%s review` for another one."
	noteMuted      = "Somebody has stopped its reviews. Write `@%s review` for one."
	noteDenied     = "Its review was not allowed."
	noteLabelled   = "It has a label that turns reviews off."
	noteLimit      = "The limit of this review was reached."
	noteNoAnswer   = "The reviewer gave no answer."
	noteGitHub     = "GitHub did not show the whole change."
	noteStopped    = "The review was stopped."
	noteFailed     = "The review failed."
	noteUnposted   = "Its result could not be posted."
)

// textsPosted has the last line of a card, by the form of the post. It says where the findings are,
// and names the cost and the models.
var textsPosted = map[supervisor.ReviewPostMode]string{
	supervisor.PostAsReview:   "Posted as a review. It cost %s%s.",
	supervisor.PostAsCheckRun: "Posted as a check. It cost %s%s.",
	supervisor.PostOnlyCard:   "Nothing is posted until you press Post. It cost %s%s.",
}
