package promptfile_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mews/protocol"
	"mews/worker/host/hosttest"
	"mews/worker/promptfile"
	"mews/worker/workspace"
)

// supervisor asks to inspect every file, and keeps the reports.
type supervisor map[string]protocol.PromptFile

func (s supervisor) report(_ context.Context, r protocol.PromptFileReport) (answer protocol.PromptFileReportResult,
	err error) {
	for _, f := range r.Files {
		if s[f.Path] = f; !f.Inspected {
			answer.Need = append(answer.Need, f.Path)
		}
	}
	return answer, r.Validate()
}

func (s supervisor) answers() hosttest.Answers {
	return hosttest.Answers{protocol.MethodPromptFileReport: hosttest.NewAnswer(s.report)}
}

// TestInspect_GitOrOtherAccount_IsRecognised: each row makes a home with real git, and has the
// expected report of AGENTS.md.
func TestInspect_GitOrOtherAccount_IsRecognised(t *testing.T) {
	const commit = "git init -q . && git add -A && git -c user.name=a -c user.email=a commit -q -m x"
	for _, c := range []struct {
		name, script string
		git, foreign bool
	}{
		{name: "by hand", script: "echo a > AGENTS.md"},
		{"committed", "echo a > AGENTS.md; " + commit, true, false},
		{"checked out", "echo a > AGENTS.md; " + commit + "; rm AGENTS.md; git checkout -q AGENTS.md", true, false},
		{"in an index of version 4", "mkdir a; echo b > a/b; echo a > AGENTS.md; " + commit + "; git update-index --index-version 4; touch AGENTS.md", true, false},
		{"with ends of lines that git makes", "echo '*.md text eol=crlf' > .gitattributes; echo a > AGENTS.md; " + commit + "; rm AGENTS.md; git checkout -q AGENTS.md; touch AGENTS.md", true, false},
		{"through a filter of git's", "echo 'AGENTS.md ident' > .gitattributes; echo '$Id$' > AGENTS.md; " + commit + "; rm AGENTS.md; git checkout -q AGENTS.md", true, false},
		{"in a split index", "echo a > AGENTS.md; " + commit + "; git update-index --split-index; touch AGENTS.md", true, false},
		{"with another hash", "git init -q --object-format=sha256 .; echo a > AGENTS.md; git add -A", true, false},
		{"in a work tree of a file", "echo 'gitdir: /elsewhere' > .git; echo a > AGENTS.md", true, false},
		{"with an index that is damaged", "echo a > AGENTS.md; " + commit + "; echo nonsense > .git/index", true, false},
		{name: "changed after a commit", script: "echo a > AGENTS.md; " + commit + "; echo b > AGENTS.md; touch -d @1 AGENTS.md"},
		{name: "beside a work tree's files", script: "echo a > b; " + commit + "; echo a > AGENTS.md"},
		{"gone, as git may take it away", "echo a > b; " + commit, true, false},
		{"written by everybody", "echo a > AGENTS.md; chmod 666 AGENTS.md", false, true},
		{"in a folder of everybody's", "echo a > AGENTS.md; chmod 777 .", false, true},
		{name: "where nobody else comes", script: "echo a > AGENTS.md; chmod 666 AGENTS.md; chmod 700 ."},
	} {
		t.Run(c.name, func(t *testing.T) {
			home := filepath.Join(t.TempDir(), "home")
			if err := os.Mkdir(home, 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "sh", "-ec", "umask 022; "+c.script)
			cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatal(err, string(out))
			}
			ws, err := workspace.Open(home, protocol.FilePolicy{})
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			told := supervisor{}
			w := promptfile.Watcher{Home: ws, Turn: told.answers(), Programs: func() bool { return false }}
			if _, err := w.TextsInForce(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := told["AGENTS.md"]; got.FromGit != c.git || got.FromOtherAccount != c.foreign {
				t.Errorf("told %s", fmt.Sprintf("%+v", got))
			}
		})
	}
}

// TestTextsInForce_FirstCall_DefersReport: the report for the first model call has no text, and the
// next question about texts in force asks the supervisor.
func TestTextsInForce_FirstCall_DefersReport(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "AGENTS.md"), []byte("Be brief."), 0o600); err != nil {
		t.Fatal(err)
	}
	ws, err := workspace.Open(home, protocol.FilePolicy{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	told, programs := supervisor{}, false
	w := promptfile.Watcher{Home: ws, Turn: told.answers(), Programs: func() bool { return programs }, Unasked: true}
	texts, err := w.TextsInForce(t.Context())
	if err != nil || texts["AGENTS.md"] != "Be brief." || len(told) != 0 {
		t.Fatalf("%v, %v; told %v", texts, err, told)
	}
	r := w.TakeDeferredReport()
	if r == nil || !r.InForce || r.Programs || len(r.Files) == 0 || r.Validate() != nil ||
		w.TakeDeferredReport() != nil {
		t.Fatalf("the deferred report is %+v", r)
	}
	if err := w.ReportChanges(t.Context()); err != nil || len(told) != 0 {
		t.Errorf("unchanged files: %v, %v", told, err)
	}
	if _, err := w.TextsInForce(t.Context()); err != nil || string(told["AGENTS.md"].Text) != "Be brief." {
		t.Errorf("told %v, %v", told, err)
	}
	// a running program can still change the files
	programs = true
	w = promptfile.Watcher{Home: ws, Turn: told.answers(), Programs: w.Programs, Unasked: true}
	clear(told)
	if _, err := w.TextsInForce(t.Context()); err != nil || len(told) == 0 || w.TakeDeferredReport() != nil {
		t.Errorf("beside a program: told %v, %v", told, err)
	}
}
