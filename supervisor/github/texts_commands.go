package github

// Texts of /github and /webhooks.
const (
	textSourceConfig    = "set by the configuration"
	textSourceAdmin     = "set by an admin"
	textSourceOwn       = "set by you"
	textNoRepositories  = "Mews serves no repository on GitHub for you."
	textRepositories    = "Your repositories on GitHub:\n"
	textRepository      = "\n- %s:"
	textSwitch          = "\n  - %s %s, %s"
	textRepositoriesEnd = "\n\n“/github %s notices off” turns notices off for you. Choose notices, reviews or " +
		"triage, " +
		"and on, off or default. Admins can add “all”."
	textGitHubUsage = "Write the repository, then notices, reviews or triage, then on, off or default: " +
		"“/github OWNER/REPO reviews off”."
	textWebhooksUsage  = "Write the repository, then on, off or default: “/webhooks OWNER/REPO off”."
	textAllUsageAdmin  = "Only an admin can turn something off for everybody."
	textSwitchQuestion = "Turn %s of %s to %s?"
	textSwitchSet      = "From now on %s of %s are %s, %s."
)
