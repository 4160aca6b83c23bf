package triage

// Texts for users. The first line of a card contains the issue, such as acme/widget#5.
const (
	textUsage   = "Say which issue: /triage https://github.com/OWNER/REPO/issues/5, or /triage OWNER/REPO#5."
	textNoRepo  = "Mews does not serve the repository %q, or it is somebody else's here. `mews github status` lists those that it serves."
	textAsked   = "I am reading %s#%d. The result goes to the chat of the repository's user."
	textInbound = "Triage issue %s#%d."

	textTriaged  = "**Issue %s triaged**"
	textLeft     = "Issue %s was not triaged: %s."
	textFailed   = "**Triage of %s failed.** %s\n/triage %s#%d tries it again."
	textCardOnly = "Nothing was changed on GitHub, because this repository shows results here first (`post: card`)."

	textSecurity       = "**Issue %s looks like a security report**"
	textNothingWritten = "\nNothing was written on GitHub: no label, and no comment. "
	textWrittenBefore  = "\nNothing new was written on GitHub. An earlier triage wrote there: %s. "
	textWrittenLabels  = "labels (%s)"
	textWrittenComment = "a comment (%s)"
	textSecurityHint   = "Anybody who sees the repository can read the issue."
	textToldYou        = "Nobody else was told."
	textToldMore       = "Mews also told these users in private: %s."
	textNoComment      = "No comment was written, because the issue has no text."

	textNotPlanned = "Not put into the project “%s”: %s"
	textNoProject  = "neither the repository nor its owner has an open project of that title, or Mews's token does not see it."
	textLabelGone  = "The label %q is not in the repository any more. Try again, and I choose a label anew."

	textNothingRead = "The model gave no result: %s. Try again, or set another model under github.triage."
	textNoReason    = "it gave no reason"
	textNoSearch    = "Mews could not search for related issues."
)

// Reasons why an issue is not triaged.
const (
	textNotServed = "Mews no longer serves its repository"
	textTurnEnded = "its triage was stopped"
	textGone      = "it no longer exists on GitHub"
	textIsPull    = "it is a pull request"
	textClosed    = "it is closed"
	textBots      = "a bot has opened it"
	textLabelled  = "it has labels that people gave it"
	textEmpty     = "it has no text"
)

// Texts of comments and cards.
const (
	textHead      = "**Triage**"
	textPriority  = "Priority"
	textLabels    = "Labels"
	textDuplicate = "Possible duplicate of"
	textRelated   = "Related"
	textFoot      = "_Automatic. People's labels are left as they are._"
)
