package github

// /github and /webhooks.
const (
	textSourceConfig    = "the configuration's"
	textSourceAdmin     = "an admin's"
	textSourceOwn       = "your own"
	textNoRepositories  = "There is no repository on GitHub of which something is done for you."
	textRepositories    = "What is done about repositories on GitHub:\n"
	textRepository      = "\n- %s:"
	textSwitch          = "\n  - %s %s, %s"
	textRepositoriesEnd = "\n\n“/github %s notices off” sets one for you; it takes notices, reviews or triage, " +
		"and on, off or default. Admins can put “all” behind it."
	textGitHubUsage = "Write the repository, then notices, reviews or triage, then on, off or default: " +
		"“/github OWNER/REPO reviews off”."
	textWebhooksUsage  = "Write the repository, then on, off or default: “/webhooks OWNER/REPO off”."
	textAllUsageAdmin  = "Only an admin can turn something off for everybody."
	textSwitchQuestion = "Turn %s of %s to %s?"
	textSwitchSet      = "From now on %s of %s are %s, %s."
)
