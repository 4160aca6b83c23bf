package github_test

import (
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github"
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
