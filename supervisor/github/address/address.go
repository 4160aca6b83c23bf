// Package address parses the addresses of issues and pull requests on GitHub.
package address

import (
	"regexp"
	"strconv"

	"mews/supervisor"
)

// pattern matches OWNER/REPO#NUMBER, and the address of an issue's or pull request's page with
// anything after the number.
var pattern = regexp.MustCompile(
	`^(?:https?://[^/\s]+/)?([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+)(?:/(?:issues|pull)/|#)([1-9][0-9]{0,8})(?:[/?#]\S*)?$`,
)

// repoPattern matches OWNER/REPO, and the address of a repository or of a page below it.
var repoPattern = regexp.MustCompile(
	`^(?:https?://[^/\s]+/)?([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+?)(?:\.git)?/?$`,
)

// ParseRepo returns the name of the repository that a text names, in its original case.
func ParseRepo(text string) (repo string, ok bool) {
	m := repoPattern.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Parse returns the repository and number of an issue's or pull request's address.
func Parse(text string) (repo string, number int, ok bool) {
	m := pattern.FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(m[2])
	return supervisor.NormalizeRepoName(m[1]), number, err == nil
}
