package triage_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/github/githubtest"
	"mews/supervisor/github/triage"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestIsSecurityReport_Phrases_AreClassified(t *testing.T) {
	for text, want := range map[string]bool{
		"SQL injection in /search":                                   true,
		"Stored XSS in the comment field":                            true,
		"CVE-2026-12345 affects your lock file":                      true,
		"I found a vulnerability":                                    true,
		"Security issue: the session token is exposed in the log":    true,
		"The log leaks the user's password":                          true,
		"Remote code execution through the template":                 true,
		"Path traversal with ../../etc/passwd":                       true,
		"Authentication can be bypassed with an empty header":        true,
		"An attacker could exploit this":                             true,
		"Heap buffer overflow in the parser":                         true,
		"Eine Sicherheitslücke im Login":                             true,
		"Hidden <!-- --> word: vulner\u200bability":                  true,
		"White page in Firefox":                                      false,
		"Typo in SECURITY.md":                                        false,
		"Add a dark theme":                                           false,
		"Login button is too small":                                  false,
		"The token bucket refills too slowly":                        false,
		"Password field has no label":                                false,
		"Crash when the file is missing":                             false,
		"Inject the logger through the constructor":                  false,
		"<!-- Do not report a security vulnerability here --> Crash": false,
	} {
		if got := triage.IsSecurityReport("It", text); got != want {
			t.Errorf("%q is a security report: %v", text, got)
		}
	}
}

// A security report gets neither a label nor a comment, whether its words or the model reveal it.
// The users who may write in the repository are told once.
func TestTriage_SecurityReport_IsSentInPrivate(t *testing.T) {
	for name, c := range map[string]struct {
		body  string
		model bool
	}{"by its words": {"Any user can read the other's session: SQL injection in /search.",
		false}, "by the model": {"Send %27 and see what comes back.", true}} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.model.Security = c.model
			r.writers = []supervisor.User{{Name: "alice"}, {Name: "bob",
				Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "43"}}}
			number := r.repo.OpenIssue(githubtest.NewIssue{Title: "Odd answer", Author: "mallory", Body: c.body})
			turn := r.turn(number, "")
			ctx, die := context.WithCancel(t.Context())
			if _, err := r.triages(&killedTransport{left: 2, die: die}).RunTurn(ctx, turn, r.reads); err == nil {
				t.Error("it was not killed")
			}
			card := r.work(turn)
			r.has("the card", card, "looks like a security report", "Odd answer", "The page stays white.",
				"Mews also told these users in private: bob.")
			if again := r.work(turn); again != card {
				t.Errorf("again the card is %q", again)
			}
			if !r.private[number] {
				t.Error("later notices about the issue are not private")
			}
			issue := r.repo.Issue(number)
			if len(issue.Labels) > 0 || len(issue.Comments) > 0 {
				t.Errorf("on GitHub it has %q and %+v", issue.Labels, issue.Comments)
			}
			told := sqlitetest.QueryColumn(t, r.db,
				`SELECT c.user || ' ' || c.chat || ' ' || o.text FROM outbox o
					JOIN conversation c ON c.id = o.conversation`)
			if len(told) != 1 ||
				!strings.HasPrefix(told[0], "bob 43 **Issue acme/widget#2 looks like a security report**") {
				t.Errorf("told: %q", told)
			}
		})
	}
}

// If only a later triage recognizes a security report, its card tells what an earlier one has
// written on GitHub.
func TestTriage_LateSecurityReport_ListsWrites(t *testing.T) {
	r := newRig(t)
	number := r.repo.OpenIssue(githubtest.NewIssue{Title: "Odd answer", Author: "mallory", Body: "Send %27."})
	run := func(asked string) (card string) {
		t.Helper()
		turn := r.turn(number, asked)
		card = r.work(turn)
		if _, err := r.db.Turns().Finish(t.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: card}); err != nil {
			t.Fatal(err)
		}
		return card
	}
	run("")
	written := r.repo.Issue(number).Comments[0]
	r.model.Security = true
	card := run("alice")
	r.has("the card", card, "looks like a security report", "Nothing new was written on GitHub",
		"labels (`bug`), a comment (", fmt.Sprintf("/issues/%d#issuecomment-%d)", number, written.ID))
	if issue := r.repo.Issue(number); len(issue.Comments) != 1 || issue.Comments[0].Body != written.Body {
		t.Errorf("on GitHub it has %+v", issue.Comments)
	}
	r.model.Security = false
	r.has("once private", run("alice"), "looks like a security report")
}

// An issue without text gets no comment. An issue without anything to read is shown to no model.
func TestTriage_EmptyIssue_GetsNoComment(t *testing.T) {
	template := "## What happened?\n\n## Steps\n\n- [ ] I searched for similar issues\n**Version:**\n\n_No " +
		"response_\n<!-- Say what you expected. -->\n"
	for name, c := range map[string]struct {
		title, body string
		comment     bool
		read        bool
	}{
		"a text":                   {"White page", "It is white.", true, true},
		"no text":                  {"White page in Firefox", "", false, true},
		"white space":              {"White page in Firefox", " \n\t\u200b\n", false, true},
		"a template":               {"White page in Firefox", template, false, true},
		"a comment that is hidden": {"White page in Firefox", "<!-- hello -->", false, true},
		"an answer in the template": {"White page in Firefox", strings.Replace(template, "## Steps\n",
			"## Steps\nOpen it.\n", 1), true, true},
		"a ticked box":        {"White page in Firefox", "- [x] I searched", true, true},
		"a number":            {"White page in Firefox", "502", true, true},
		"marks alone":         {"White page in Firefox", "...\n---\n!", false, true},
		"one word":            {"test", "", false, false},
		"a mark":              {"?", template, false, false},
		"one word and a text": {"test", "It is white.", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.served.User = "alice"
			number := r.repo.OpenIssue(githubtest.NewIssue{Title: c.title, Author: "bob", Body: c.body})
			if !c.read {
				other := r.repo.OpenIssue(githubtest.NewIssue{Title: "White page", Author: "bob", Body: "It is white."})
				r.skip(number)
				r.work(r.turn(other, ""))
				w, _, err := r.db.Triages().Find(t.Context(), "alice", "acme/widget", number)
				if err != nil || w.State != supervisor.TriageSkipped || w.Why != "it has no text" ||
					len(r.read) != 1 {
					t.Errorf("it is %s: %q, %v; read %d", w.State, w.Why, err, len(r.read))
				}
				return
			}
			card := r.work(r.turn(number, ""))
			issue := r.repo.Issue(number)
			if (len(issue.Comments) > 0) != c.comment || fmt.Sprint(issue.Labels) != "[bug]" {
				t.Errorf("it has %d comments and the labels %q", len(issue.Comments), issue.Labels)
			}
			if !c.comment {
				r.has("the card", card, "No comment was written, because the issue has no text.")
			}
		})
	}
}

// skip requests the triage of an issue that will be skipped.
func (r *rig) skip(number int) {
	r.Helper()
	if err := r.triages(nil).AddRequest(r.Context(), supervisor.GitHubWorkRequest{Repo: "acme/widget",
		Number: number}); err != nil {
		r.Fatal(err)
	}
}
