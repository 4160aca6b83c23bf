package github_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/sqlite/sqlitetest"
)

// TestSecurityAlerts_GoToWritersOnly checks that security alerts and security reports reach only
// users who may write, in their private chats. Other events go to the group too.
func TestSecurityAlerts_GoToWritersOnly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		repo := widget()
		repo.Notify = append(repo.Notify, supervisor.GitHubRecipient{User: "bob"})
		r := newRig(t, repo)
		alert := func(kind, action string, number int) event {
			return event{Event: kind, Action: action, Number: number, Title: "Prototype *pollution*", State: "high",
				Ref: "lodash", URL: "https://a.example/4",
				Sender: "github", SenderBot: true}
		}
		report := event{Event: "issues", Action: "opened", Number: 7, Title: "SQL injection in /search",
			Text: "Send a quote."}
		talk := event{Event: "issue_comment", Action: "created", Number: 7, Title: "SQL injection in /search",
			Text: "Me too."}
		step := func(what, key string, e event, want ...string) {
			t.Helper()
			before := len(r.told())
			r.put(key, e)
			r.live(time.Minute)
			r.same(what, r.told()[before:], want)
		}
		step("an alert", "1", alert("dependabot_alert", "created", 4),
			"alice 42: Alert about a dependency opened in `Acme/Widget`, severity `high`")
		step("a report", "2", report, "alice 42: Issue #7 opened in `Acme/Widget` by dave")
		step("a comment on it", "3", talk, "alice 42: dave commented on #7 in `Acme/Widget`")
		r.permissions = map[string]string{"acme/widget carol": "read"}
		step("bob may only read", "4", alert("secret_scanning_alert", "created", 5),
			"alice 42: Alert about a secret opened in `Acme/Widget`, severity `high`")
		r.permissions = map[string]string{"acme/widget carol": "write"}
		step("bob may write", "5", alert("code_scanning_alert", "fixed", 6),
			"alice 42: Alert about code fixed in `Acme/Widget`, severity `high`",
			"bob 43: Alert about code fixed in `Acme/Widget`, severity `high`")
		if err := r.switches.Set(t.Context(), "bob", github.ServiceSwitch{Repo: "acme/widget",
			What: github.ServiceNotices}, "off", false); err != nil {
			t.Fatal(err)
		}
		step("bob wants no notices", "6", alert("repository_advisory", "reported", 0),
			"alice 42: Security report sent in private in `Acme/Widget`, severity `high`")
		step("another issue", "7", event{Event: "issues", Action: "opened", Number: 8, Title: "A white page"},
			"alice 42: Issue #8 opened in `Acme/Widget` by dave", "alice -100123 45: Issue #8 opened in "+
				"`Acme/Widget` by dave")
	})
}

// TestPrivateIssue_LaterEvents_GoToWritersOnly checks that an issue stays private once an event or
// the triage has shown that it is a security report, even after a restart.
func TestPrivateIssue_LaterEvents_GoToWritersOnly(t *testing.T) {
	issue := func(action, text string) event {
		return event{Event: "issues", Action: action, Number: 7, Title: "Problem with the login form", Text: text}
	}
	said := func(text string) event {
		return event{Event: "issue_comment", Action: "created", Number: 7, Text: text}
	}
	public, private := []string{"alice 42", "bob 43", "alice -100123 45"}, []string{"alice 42"}
	for name, c := range map[string]struct {
		first event
		mark  bool // the triage marks the issue after the first event
		told  []string
		later []string
	}{
		"an ordinary issue":   {issue("opened", "It is slow."), false, public, public},
		"an ordinary comment": {said("Me too."), false, public, public},
		"its text":            {issue("opened", "A security hole: a vulnerability."), false, private, private},
		"its text beyond the cut": {event{Event: "issues", Action: "opened", Number: 7, Security: true},
			false, private, private},
		"a comment": {said("That is an exploit."), false, private, private},
		"an edit":   {issue("edited", "It leaks every password."), false, nil, private},
		"an edited comment": {event{Event: "issue_comment", Action: "edited", Number: 7, Text: "An XSS."},
			false, nil, private},
		"a new label": {issue("labeled", "Use-after-free."), false, nil, private},
		"the end":     {issue("closed", "It was CVE-2026-12345."), false, private, private},
		"a bot": {event{Event: "issues", Action: "opened", Number: 7, Title: "RCE", SenderBot: true},
			false, nil, private},
		"the model": {issue("opened", "Send admin'--"), true, public, private},
		"a pull request": {event{Event: "issue_comment", Action: "created", Number: 8, IsPull: true, Text: "An XSS."},
			false, public, public},
		"an alert of that id": {event{Event: "dependabot_alert", Action: "created", Number: 7, Title: "RCE"},
			false, private, public},
		"another issue": {event{Event: "issues", Action: "opened", Number: 8, Title: "RCE"},
			false, private, public},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				repo := widget()
				repo.Notify = append(repo.Notify, supervisor.GitHubRecipient{User: "bob"})
				r := newRig(t, repo)
				step := func(what, key string, e event, want []string) {
					t.Helper()
					before := len(r.told())
					r.put(key, e)
					r.live(time.Minute)
					var chats []string
					for _, line := range r.told()[before:] {
						chat, _, _ := strings.Cut(line, ":")
						chats = append(chats, chat)
					}
					slices.Sort(chats)
					r.same(what, chats, slices.Sorted(slices.Values(want)))
				}
				step("the first event", "1", c.first, c.told)
				if c.mark {
					if err := r.private.MarkIssuePrivate(t.Context(), "acme/widget", 7); err != nil {
						t.Fatal(err)
					}
				}
				r.begin()
				step("a comment", "2", said("How to do it: send admin'--"), c.later)
				step("its end", "3", issue("closed", ""), c.later)
				step("its return", "4", issue("reopened", ""), c.later)
			})
		})
	}
}

// A notice that still waits is dropped if its issue becomes private meanwhile.
func TestPrivateIssue_WaitingNotice_IsDropped(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		repo := widget()
		repo.Notify = append(repo.Notify, supervisor.GitHubRecipient{User: "bob"})
		r := newRig(t, repo)
		r.put("1", event{Event: "issues", Action: "opened", Number: 7, Title: "Problem with the login form"})
		r.put("2", event{Event: "issues", Action: "opened", Number: 8, Title: "A white page"})
		r.live(time.Second)
		r.put("3", event{Event: "issue_comment", Action: "created", Number: 7, Text: "It is a vulnerability."})
		r.live(time.Hour)
		r.same("told", slices.Sorted(slices.Values(r.told())), []string{
			"alice -100123 45: Issue #8 opened in `Acme/Widget` by dave",
			"alice 42: Issue #7 opened in `Acme/Widget` by dave",
			"alice 42: Issue #8 opened in `Acme/Widget` by dave",
			"alice 42: dave commented on #7 in `Acme/Widget`",
			"bob 43: Issue #8 opened in `Acme/Widget` by dave"})
		if left := sqlitetest.QueryColumn(r, r.db, "SELECT key FROM repository_notice"); len(left) > 0 {
			t.Errorf("notices are left: %q", left)
		}
	})
}
