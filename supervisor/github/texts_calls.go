package github

// What people read of repositories on GitHub.
const (
	textNoGitHub = "Mews is nobody on GitHub: put a token or an app into the configuration, under github, " +
		"and restart."
	textNotServedRepo = "Mews does not serve the repository %q. `mews github add` says what it takes."
	textPolled        = "Without webhooks.listen Mews asks GitHub itself, and no webhook is needed. " +
		"Put this into the configuration and restart:"
	textHookMade   = "The webhook is made, and GitHub tries it. Put this into the configuration and restart:"
	textHookThere  = "The webhook is there already. Put this into the configuration and restart:"
	textHookByHand = "Mews's token may not make webhooks there. Make it on %s/%s/settings/hooks: the address at " +
		"which GitHub reaches webhooks.listen, which ends in /webhook/github; content type application/json; " +
		"the secret of github.webhook_secret; the events %s. Then put this into the configuration and restart:"
	textRepoYAML = "github:\n  repos:\n    %s: {user: %s, review: true, triage: true, post: card}" +
		"  # card: nothing is posted until you say so\n"

	textRepoStatus  = "%s  %s's, by %s; %s\n  in a week: %d taken, %d ignored, %d failed; %d waiting\n"
	textNothingCame = "nothing has come in a week"
	textLastCame    = "the last came at %s"
	textRepoWork    = "  to be done: %s, %s; cost today: %s"
	textRepoDay     = " of %s"
	textRepoLooked  = "  looked there at %s. %s\n"
	textLimitLeft   = "GitHub's limit of %s: %d of %d left, until %s\n"

	textNoAddress    = "%q is no pull request. Say which: https://github.com/OWNER/REPO/pull/5, or OWNER/REPO#5."
	textPatchInbound = "Review a change of %d bytes."
	textPatchGone    = "The change is not kept any more. Ask for its review again."
	textPartSize     = "A part of a diff has 1 to %d bytes."
	textDiffSize     = "A diff of more than %d MiB is not reviewed at once, nor one with parts that are not yours. " +
		"Review a part of it."
	textLongDiff   = "the diff has %s, and at most %s are reviewed at once: review a part of it"
	textWrongRange = "--range %q: want two commits, as in main..HEAD"
	textReviewing  = "Reviewing ...\n"
	textReviewed   = "looked at %s in %s\n"
	textNoPull     = "Mews does not serve the repository %q, or it is somebody else's here. " +
		"`mews github status` lists those that it serves."

	textQuietWhere   = "Say in which repository: `mews github quiet OWNER/REPO --pull 5`."
	textByAdmin      = "an admin"
	textNoMute       = "There is no mute with the number %d. `mews github quiet` lists them."
	textRedelivered  = "GitHub was asked to send these again.\n"
	textNoRedelivery = "There is nothing to be sent again.\n"
	textNoMutes      = "Reviews say everything that they find.\n"
	textMutesHead    = "NUMBER\tREPOSITORY\tKIND\tOF\tBY\tSINCE\tWHY\n"
)
