package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"mews/supervisor/github/githubtest"
	"mews/supervisor/model/modeltest"
)

// scriptHub is the scenario's own GitHub, with the repository acme/widget.
type scriptHub struct {
	server *githubtest.Server
	repo   *githubtest.Repo
}

// hubCommand makes a script command that acts on GitHub.
func hubCommand(usage string, do func(*scriptHub, *testscript.TestScript, []string)) scriptCommand {
	return command(usage, func(s *scriptEnv, ts *testscript.TestScript, args []string) {
		if s.hub == nil {
			ts.Fatalf("there is no GitHub")
		}
		do(s.hub, ts, args)
	})
}

// startGitHub starts a server. Its token has all permissions, or only the permissions in the
// arguments.
func (s *scriptEnv) startGitHub(ts *testscript.TestScript, args []string) {
	o := githubtest.Options{Token: "TEST-token-of-the-scenario", Strict: true}
	for _, arg := range args {
		if o.May == nil {
			o.May = map[string]string{}
		}
		name, level, _ := strings.Cut(arg, "=")
		o.May[name] = level
	}
	h := &scriptHub{server: githubtest.New(s.t, o)}
	h.repo = h.server.Repo("acme/widget")
	h.repo.CreateLabels("bug", "docs")
	s.hub = h
	ts.Setenv("GITHUB_URL", h.server.URL())
	ts.Setenv("GITHUB_TOKEN", h.server.Token())
	ts.Setenv("HOOK", freeAddress(ts))
}

// openIssue opens an issue.
func (h *scriptHub) openIssue(_ *testscript.TestScript, args []string) {
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	h.repo.OpenIssue(githubtest.NewIssue{Author: args[0], Title: args[1], Body: body})
}

// openPull opens a pull request that adds a file.
func (h *scriptHub) openPull(ts *testscript.TestScript, args []string) {
	h.repo.AddCommit("work", githubtest.Commit{Author: args[0], Message: args[1],
		Files: map[string]string{args[2]: ts.ReadFile(args[2])}})
	h.repo.OpenPullRequest(githubtest.NewPullRequest{Author: args[0], Title: args[1], Head: "work"})
}

// checkReviewCount checks the number of reviews of a pull request.
func (h *scriptHub) checkReviewCount(ts *testscript.TestScript, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	if n := fmt.Sprint(len(h.repo.Reviews(number))); n != args[1] {
		ts.Fatalf("it has %s reviews", n)
	}
}

// setHook sets the address that the repository's webhook calls.
func (h *scriptHub) setHook(_ *testscript.TestScript, args []string) {
	h.repo.CreateWebhook(args[0], args[1], "issues", "issue_comment", "pull_request", "ping")
}

// permit gives an account a permission in the repository.
func (h *scriptHub) permit(_ *testscript.TestScript, args []string) {
	h.repo.SetPermission(args[0], args[1])
}

// awaitIssue waits until an issue is equal to the text of a file.
func (h *scriptHub) awaitIssue(ts *testscript.TestScript, args []string) {
	number, err := strconv.Atoi(args[0])
	ts.Check(err)
	want := ts.ReadFile(args[1])
	if os.Getenv("MEWS_UPDATE_SCRIPTS") != "" {
		return
	}
	awaitIn(ts, func() bool { return h.issue(number) == want }, func() string {
		return fmt.Sprintf("the issue is\n%s\n%s", h.issue(number), h.server.DumpRequests())
	})
}

// issue shows an issue as text.
func (h *scriptHub) issue(number int) string {
	i := h.repo.Issue(number)
	text := fmt.Sprintf("%s (%s)\nlabels: %s\n", i.Title, i.State, strings.Join(i.Labels, ", "))
	for _, c := range i.Comments {
		text += fmt.Sprintf("%s: %s\n", c.Author, c.Body)
	}
	return text
}

// sorter is a model that triages an issue. If a line of the issue is an answer in JSON, the model
// gives that answer.
func sorter(r modeltest.Request) modeltest.Answer {
	for line := range strings.Lines(r.NewestUserMessage()) {
		var said string
		if json.Unmarshal([]byte(line), &said) == nil && strings.HasPrefix(said, `{"labels"`) {
			return modeltest.Answer{Text: said}
		}
	}
	return modeltest.Answer{Text: `{"labels": ["bug"], "priority": "high", "related": [1], "summary": "The page stays white."}`}
}

// critic is a model that finds calls of panic, and refutes no finding.
func critic(r modeltest.Request) modeltest.Answer {
	stands, again := modeltest.AnswerReviewSecondLook(r, false)
	switch {
	case again:
		return stands
	case strings.Contains(r.NewestUserMessage(), "speechless"):
		return modeltest.Answer{Text: "I have nothing to say in JSON."}
	case strings.Contains(r.NewestUserMessage(), "panic("):
		return modeltest.Answer{Text: `{"verdict": "It ends the program.", "findings": [{"path": "main.go", "line": 4, "side": "RIGHT", "severity": "critical",
			"category": "bug", "title": "It panics", "detail": "At every start.", "quote": "panic(1)", "confidence": 0.9},
			{"path": "main.go", "line": 4, "side": "RIGHT", "severity": "critical", "category": "bug", "title": "Invented", "quote": "nowhere()", "confidence": 0.9}]}`}
	}
	return modeltest.Answer{Text: `{"verdict": "Clean.", "findings": []}`}
}
