package api

import "mews/supervisor"

// classTexts has a text for users for each class of errors. %s is the attempted action.
var classTexts = map[ErrorClass]struct {
	code    supervisor.ErrorCode
	message string
}{
	BadCredentials: {supervisor.CodeUnavailable, "GitHub did not accept Mews's token or key (tried to %s). " +
		"An admin puts a new one into the " +
		"configuration, under github, runs `mews reload`, and then `mews github check`."},
	Forbidden: {supervisor.CodeForbidden, "GitHub does not allow Mews's token to do this (tried to %s). `mews github check` names the " +
		"permission that is missing and the page to grant it."},
	NotFound: {supervisor.CodeNotFound, "GitHub found nothing there, or hides it from Mews's token (tried to %s). Check the name; " +
		"`mews github check` says whether the token may read the repository."},
	InvalidRequest: {supervisor.CodeInvalid, "GitHub refused the request as wrong (tried to %s). An admin can read " +
		"GitHub's answer in the log."},
	AnswerTooLarge: {supervisor.CodeInvalid, "The answer is too large for GitHub or for Mews (tried to %s). Ask " +
		"for a smaller " +
		"part."},
	RateLimited: {supervisor.CodeUnavailable, "GitHub's limit of requests is used up (tried to %s). Mews asks again once there is room; " +
		"`mews github status` says when."},
	Unreachable: {supervisor.CodeUnavailable, "GitHub could not be reached (tried to %s). Check this machine's network and github's " +
		"api_url; then try again."},
	ServerError: {supervisor.CodeUnavailable, "GitHub failed (tried to %s). Try again in a minute. See https://www.githubstatus.com for " +
		"its status."},
}
