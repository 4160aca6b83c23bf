package supervisor

import (
	"regexp"
	"strconv"
)

// gitHubAddress is the page of an issue or a pull request, with or without what follows, or
// OWNER/REPO#NUMBER.
var gitHubAddress = regexp.MustCompile(`^(?:https?://[^/\s]+/)?([A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+)(?:/(?:issues|pull)/|#)([1-9][0-9]{0,8})(?:[/?#]\S*)?$`)

// GitHubNumber is the repository and the number of an issue or a pull request that somebody names
// by its address.
func GitHubNumber(address string) (repo string, number int, ok bool) {
	m := gitHubAddress.FindStringSubmatch(address)
	if m == nil {
		return "", 0, false
	}
	number, err := strconv.Atoi(m[2])
	return GitHubRepoName(m[1]), number, err == nil
}
