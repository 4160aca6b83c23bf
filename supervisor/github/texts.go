package github

// Texts about services that are on or off.
const (
	textNoRepo   = "You have no repository %s. /github lists yours."
	textOthers   = "The %s of %s are not yours. An admin can add “all” to turn them off for everybody."
	textCeiling  = "The configuration has no %s for %s, so they can't be turned on here."
	textAdminOff = "An admin has turned off the %s of %s."
)

// Texts about how events arrive.
const (
	textCalled = "A webhook tells Mews what happens in the repositories. Every 10 minutes Mews looks for lost events."
	textAsked  = "Mews asks GitHub about each repository every %s, because GitHub cannot reach Mews. It sees pull requests, issues, comments, releases, pushes to the " +
		"default branch, and checks of open pull requests. It does not see pushes to other branches, reviews without comments, requests for reviews, or who closed something."
)
