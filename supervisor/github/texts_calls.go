package github

// Texts about repositories on GitHub.
const (
	textNoGitHub = "Mews has no account on GitHub. Put a token or an app into the configuration, under github, " +
		"and restart."
	textNotServedRepo = "Mews does not serve the repository %q. `mews github add` tells how to add it."
	textNoRepoName    = "%q is no repository. Write OWNER/REPO."
	textRepoUnseen    = "Mews sees no repository %s on GitHub. Check its name, and the repositories of Mews's token."
	textPolled        = "Without webhooks.listen Mews polls GitHub and needs no webhook. " +
		"Put this into the configuration and restart:"
	textHookMade = "Mews has created the webhook, and GitHub is testing it. Put this into the configuration " +
		"and restart:"
	textHookThere     = "The webhook exists already. Put this into the configuration and restart:"
	textHookElsewhere = "The webhook of %s calls %s, not %s."
	textHookChanged   = "The webhook calls %s from now on, with github.webhook_secret. " +
		"If the repository is new here, put this into the configuration and restart:"
	textHookByHand = "Mews's token may not make webhooks there. Make it on %s/%s/settings/hooks. Its address " +
		"is the one at " +
		"which GitHub reaches webhooks.listen, and ends in /webhook/github. Its content type is application/json. " +
		"Its secret is github.webhook_secret. Its events are %s. Then put this into the configuration and restart:"
	textRepoYAML = "github:\n  repos:\n    %s: {user: %s, review: true, triage: true, post: card}" +
		"  # card: nothing is posted until you say so\n"

	textRepoStatus  = "%s  user %s, by %s; %s\n  events in a week: %d taken, %d ignored, %d failed; %d waiting\n"
	textNothingCame = "no event in a week"
	textLastCame    = "last event at %s"
	textRepoWork    = "  not done yet: %s, %s; cost today: %s"
	textRepoDay     = " of at most %s"
	textRepoPolled  = "  polled at %s. %s"
	textLimitLeft   = "GitHub's limit of %s: %d of %d left, until %s\n"

	textNoAddress    = "%q is no pull request. Write https://github.com/OWNER/REPO/pull/5, or OWNER/REPO#5."
	textPatchInbound = "Review a change of %d bytes."
	textPatchGone    = "The change has been deleted. Ask for its review again."
	textPartSize     = "Each part of a diff must have 1 to %d bytes."
	textDiffSize     = "The diff has more than %d MiB, or has parts that are not yours. " +
		"Review a part of it."
	textLongDiff   = "the diff has %s, and at most %s are reviewed at once: review a part of it"
	textWrongRange = "--range %q: want two commits, as in main..HEAD"
	textReviewing  = "Reviewing ...\n"
	textReviewed   = "checked %s in %s\n"
	textNoPull     = "Mews does not serve the repository %q, or it is somebody else's here. " +
		"`mews github status` lists those that it serves."

	textQuietWhere     = "Name the repository: `mews github quiet OWNER/REPO --pull 5`."
	textQuietOne       = "Give only one of --pull, --label and --remove."
	textQuietPull      = "--pull %d is no number of a pull request."
	textQuietLabel     = "--label needs the name of a label."
	textByAdmin        = "an admin"
	textNoMute         = "There is no mute with the number %d. `mews github quiet` lists them."
	textRedelivered    = "Mews asked GitHub to send these deliveries again.\n"
	textNotRedelivered = "%s: %s\n"
	textNoRedelivery   = "No delivery needs to be repeated.\n"
	textNoMutes        = "Nothing is muted.\n"
	textMutesHead      = "NUMBER\tREPOSITORY\tKIND\tOF\tBY\tSINCE\tWHY\n"
	textMutedFinding   = "%s (%s, #%d)"
)
