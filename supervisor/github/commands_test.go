package github_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/go-hclog"

	"mews/supervisor"
	"mews/supervisor/approval"
	"mews/supervisor/feature"
	"mews/supervisor/github"
	"mews/supervisor/github/setup"
	"mews/supervisor/problem"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

// commandRig runs the commands with a real database. The repository belongs to bob.
type commandRig struct {
	*testing.T
	settings sqlite.Settings
	feature  feature.Feature
	approved []string // effects that were approved, with their arguments
	audited  []string
}

func newCommandRig(t *testing.T) *commandRig {
	r := &commandRig{T: t, settings: sqlitetest.Open(t).Settings()}
	r.feature = github.New(github.Options{
		Stores: github.Stores{Settings: r.settings}, People: people{}, Log: hclog.NewNullLogger(),
		Setup: setup.Setup{Listens: true, Repos: []supervisor.GitHubRepo{
			{Name: "acme/widget", User: "bob", Review: true, Notify: []supervisor.GitHubRecipient{{User: "bob"}}},
		}},
		Audit: func(user, action, detail string) { r.audited = append(r.audited, user+" "+action+" "+detail) },
	}).Feature()
	return r
}

// ask runs a command. It returns the answer or the error's text.
func (r *commandRig) ask(user, text string) string {
	r.Helper()
	name, arguments, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	i := slices.IndexFunc(r.feature.Commands, func(c feature.Command) bool { return c.Name == name })
	d, err := r.feature.Commands[i].Run(r.Context(), feature.CommandRequest{
		Name: name, Arguments: arguments, User: persons[user], Conversation: supervisor.Conversation{User: user},
		Allow: func(_ context.Context, effect, _ string, args ...string) error {
			r.approved = append(r.approved, effect+" "+strings.Join(args, " "))
			return nil
		}})
	if err != nil {
		return problem.UserText(err)
	}
	return d.Text
}

func TestSwitchCommands_ShowAndChangeServices(t *testing.T) {
	r := newCommandRig(t)
	end := "\n\n“/github acme/widget notices off” turns notices off for you. Choose notices, reviews or triage, " +
		"and on, off or default. Admins can add “all”."
	for _, step := range []struct{ ask, want string }{
		{"/github", "Your repositories on GitHub:\n\n- `acme/widget`:\n" +
			"  - notices on, set by the configuration\n  - reviews on, set by the configuration\n" +
			"  - triage off, set by the configuration" + end},
		{"/github acme/Widget Reviews OFF", "From now on reviews of `acme/widget` are off, set by you."},
		{"/webhooks ACME/widget off", "From now on notices of `acme/widget` are off, set by you."},
		{"/webhooks", github.DescribeEventArrival(0) + "\n\nYour repositories on GitHub:\n\n- `acme/widget`:\n" +
			"  - notices off, set by you" + end},
		{"/github acme/widget reviews default", "From now on reviews of `acme/widget` are on, set by the " +
			"configuration."},
		{"/github acme/widget reviews off all", "Only an admin can turn something off for everybody."},
		{"/github acme/widget reviews", "Write the repository, then notices"},
		{"/github acme/widget stars on", "Write the repository, then notices"},
		{"/github acme/widget notices maybe", "Write the repository, then notices"},
		{"/webhooks off", "Write the repository, then on"},
		{"/github acme/other notices off", "You have no repository acme/other"},
	} {
		if got := r.ask("bob", step.ask); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: told was %s", step.ask, cmp.Diff(step.want, got))
		}
	}
	for name, want := range map[string]string{
		"github notices acme/widget": github.ServiceOff, "github reviews acme/widget": "",
	} {
		if got, _, err := r.settings.Find(t.Context(), "bob", name); err != nil || got != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
	if want := approval.EffectChangeSetting + " acme/Widget reviews off false"; r.approved[0] != want {
		t.Errorf("approved first was %q, want %q", r.approved[0], want)
	}
}

func TestSwitchCommands_AdminTurnsOff_IsAudited(t *testing.T) {
	r := newCommandRig(t)
	got := r.ask("alice", "/github acme/widget reviews off all")
	want := "From now on reviews of `acme/widget` are off, set by an admin."
	if got != want {
		t.Errorf("told was %q, want %q", got, want)
	}
	if want := "alice github.set reviews of acme/widget: off"; !slices.Contains(r.audited, want) {
		t.Errorf("audited is %q, want %q", r.audited, want)
	}
	if got, want := r.ask("bob", "/github"), "\n  - reviews off, set by an admin"; !strings.Contains(got, want) {
		t.Errorf("told was %q, want %q in it", got, want)
	}
}

func TestReviewCommands_OutsideGitHub_Refuse(t *testing.T) {
	r := newCommandRig(t)
	for ask, want := range map[string]string{
		"/review":               "Write /review with a pull request's address",
		"/review acme/gadget#1": "There is no repository acme/gadget",
		"/triage acme/gadget#1": "Mews does not serve the repository \"acme/gadget\"",
	} {
		if got := r.ask("bob", ask); !strings.HasPrefix(got, want) {
			t.Errorf("%s: told was %q, want %q", ask, got, want)
		}
	}
}
