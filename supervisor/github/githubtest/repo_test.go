package githubtest_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mews/supervisor/github/githubtest"
)

// TestImportRepo_TwoFolders_MakePullRequest opens a pull request whose base and head come from
// folders.
func TestImportRepo_TwoFolders_MakePullRequest(t *testing.T) {
	r := newRig(t, githubtest.Options{})
	base, head := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(base, "a.txt"): "one\n", filepath.Join(base, "gone.txt"): "x\n", filepath.Join(head, "a.txt"): "two\n", filepath.Join(head, "new/b.txt"): "b\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.repo.AddCommit("main", githubtest.Commit{Message: "base", Folder: base})
	r.repo.AddCommit("topic", githubtest.Commit{Message: "head", Folder: head})
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "topic"})
	g := r.ask("GET", fmt.Sprintf("/repos/%s/pulls/%d/files", widget, n), nil)
	for at, want := range map[string]any{"0.filename": "a.txt", "0.status": "modified", "1.filename": "gone.txt", "1.status": "removed", "2.filename": "new/b.txt", "3": nil} {
		if got := g.at(at); got != want {
			t.Errorf("%s is %v, want %v", at, got, want)
		}
	}
}

// TestImportRepo_RealRepo_DiffAgreesWithGit imports a repository made by git. The diff must be the
// same as git's.
func TestImportRepo_RealRepo_DiffAgreesWithGit(t *testing.T) {
	dir := t.TempDir()
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir, "-c", "user.name=ann", "-c", "user.email=ann@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v: %s", args, err, out)
		}
	}
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	git("init", "--quiet", "--initial-branch=main")
	write("a.txt", lines(30))
	git("add", ".")
	git("commit", "--quiet", "-m", "first")
	git("checkout", "--quiet", "-b", "topic")
	git("mv", "a.txt", "b é.txt")
	write("b é.txt", lines(30, 20))
	git("commit", "--quiet", "-am", "second")

	s := githubtest.New(t, githubtest.Options{})
	r := &rig{s, t, s.ImportRepo("acme/real", dir)}
	n := r.repo.OpenPullRequest(githubtest.NewPullRequest{Title: "t", Head: "topic"})
	path := fmt.Sprintf("/repos/acme/real/pulls/%d", n)
	if g := r.ask("GET", path+"/files", nil); g.at("0.filename") != "b é.txt" || g.at("0.previous_filename") != "a.txt" || g.at("0.status") != "renamed" || g.at("0.additions") != 1.0 {
		t.Errorf("the files are %s", g.body)
	}
	if g := r.ask("GET", path+"/commits", nil); g.at("0.commit.message") != "second" || g.at("0.commit.author.name") != "ann" || g.at("1") != nil {
		t.Errorf("the commits are %s", g.body)
	}
	comment := object{"path": "b é.txt", "line": 20, "side": "RIGHT", "body": "x"}
	if g := r.ask("POST", path+"/reviews", object{"event": "COMMENT", "body": "b", "comments": []object{comment}}); g.code != 200 {
		t.Errorf("a comment on a file whose name git quotes: %s", g.body)
	}
}
