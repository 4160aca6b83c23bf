package shell

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// gitConfigName is the name of git's system configuration in the folder for temporary files.
const gitConfigName = "mews-gitconfig"

// gitConfig has the identity of commits. Git reads it as the system's configuration, which counts
// less than the configurations of the user and of a repository. The address can't receive mail (RFC
// 2606).
const gitConfig = "[user]\n\tname = %[1]s\n\temail = %[1]s@noreply.invalid\n"

// plainName matches users' names, which need no quotes in git's configuration.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// variables returns the variables of a program: the usual variables, the variables for git's
// identity, and more.
func (e *environment) variables(more ...string) []string {
	if plainName.MatchString(e.User) {
		more = append(more, "GIT_CONFIG_SYSTEM="+e.temp.gitConfig(fmt.Sprintf(gitConfig, e.User)))
		if slices.Contains(e.Env, "GIT_CONFIG_NOSYSTEM=1") { // Mews's file replaces the host's hidden git configuration
			more = append(more, "GIT_CONFIG_NOSYSTEM=0")
		}
	}
	return e.Variables(more...)
}

// gitConfig returns the path of git's system configuration. It writes the file if it is missing,
// unless the folder was removed. A program may change the file, because the file belongs to the
// user.
func (s *tempFolder) gitConfig(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.parent, gitConfigName)
	if s.removed {
		return path
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return path // the file exists already, or git works without an identity
	}
	_, _ = file.WriteString(text)
	_ = file.Close()
	return path
}
