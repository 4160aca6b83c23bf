package shell

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGit_Identity_IsUsersUnlessConfigured checks who makes a commit: the user with an address that
// gets no mail, unless the user or the repository has another identity.
func TestGit_Identity_IsUsersUnlessConfigured(t *testing.T) {
	// the walls of the landlock tier set this variable
	b := newFixture(t, func(o *Options) { o.Env = append(o.Env, "GIT_CONFIG_NOSYSTEM=1") })
	const author = "git log -1 --format='%an <%ae>, %cn'"
	commit := "git init -q r 2>/dev/null; cd r && git commit -q --allow-empty -m x && " + author
	if got := output(b.mustRun("run_command", "command", commit)); got != "alice <alice@noreply.invalid>, alice\n" {
		t.Errorf("made by %q", got)
	}
	own := filepath.Join(b.shell.options.Temp, gitConfigName)
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if got := output(b.mustRun("run_command", "command", commit)); got != "alice <alice@noreply.invalid>, alice\n" {
		t.Errorf("after the file was removed: made by %q", got)
	}
	b.mustRun("run_command", "command", "git config --global user.name Ann; git config --global user.email "+
		"ann@example.org")
	if got := output(b.mustRun("run_command", "command", commit)); got != "Ann <ann@example.org>, Ann\n" {
		t.Errorf("with a configuration of their own: made by %q", got)
	}
	if got := output(b.mustRun("run_command", "command",
		"cd r; git config user.name Bot; git commit -q --allow-empty -m y; "+author)); got != "Bot "+
		"<ann@example.org>, Bot\n" {
		t.Errorf("with one of the repository: made by %q", got)
	}
}
