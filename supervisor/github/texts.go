package github

// What people are told about the switches.
const (
	textNoRepo   = "There is no repository %s that is yours to set. /github lists those that are."
	textOthers   = "The %s of %s are not yours. An admin can turn them off for everybody: put “all” behind it."
	textCeiling  = "The configuration has no %s for %s, so they can't be turned on here."
	textAdminOff = "An admin has turned off the %s of %s."
)

// How it is known what happens on GitHub.
const (
	textCalled = "GitHub tells Mews what happens in the repositories, by a webhook. Every 10 minutes Mews looks for what was lost on the way."
	textAsked  = "Mews asks GitHub about each repository every %s, for nothing on GitHub can reach it. It sees pull requests, issues, comments, releases, pushes to the " +
		"default branch, and checks of open pull requests. It does not see pushes to other branches, reviews without comments, who was asked to review, and who has closed something."
)
