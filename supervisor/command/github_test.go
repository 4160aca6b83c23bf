package command_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

// repositories are acme/widget's switches.
type repositories map[supervisor.GitHubService]supervisor.GitHubSource

func (r repositories) List(_ context.Context, user string) (list []supervisor.GitHubSwitch, err error) {
	for _, what := range []supervisor.GitHubService{supervisor.GitHubNotices, supervisor.GitHubReviews} {
		s := supervisor.GitHubSwitch{Repo: "acme/widget", What: what, On: r[what] == "", Source: supervisor.GitHubConfigured}
		if !s.On {
			s.Source = r[what]
		}
		list = append(list, s)
	}
	return list, nil
}

func (r repositories) Set(_ context.Context, user string, to supervisor.GitHubSwitch, value string, all bool) error {
	switch {
	case !strings.EqualFold(to.Repo, "acme/widget"):
		return supervisor.Errorf(supervisor.CodeNotFound, "There is no repository %s.", to.Repo)
	case value != "off":
		delete(r, to.What)
	case all:
		r[to.What] = supervisor.GitHubAdmin
	default:
		r[to.What] = supervisor.GitHubOwn
	}
	return nil
}

func (r repositories) Ways() string { return "GitHub calls." }

func TestWhatIsDoneAboutRepositoriesIsShownAndSet(t *testing.T) {
	h := newRig(t)
	h.on("1")
	set := repositories{}
	h.options.GitHub = set
	h.live()
	end := "\n\n“/github acme/widget notices off” sets one for you; it takes notices, reviews or triage, and on, off or default. Admins can put “all” behind it."
	for _, step := range []struct{ ask, want string }{
		{"/github", "What is done about repositories on GitHub:\n\n- `acme/widget`:\n  - notices on, the configuration's\n  - reviews on, the configuration's" + end},
		{"/github acme/Widget Reviews OFF", "From now on reviews of `acme/widget` are off, your own."},
		{"/webhooks ACME/widget off", "From now on notices of `acme/widget` are off, your own."},
		{"/webhooks", "GitHub calls.\n\nWhat is done about repositories on GitHub:\n\n- `acme/widget`:\n  - notices off, your own" + end},
		{"/github acme/widget reviews default", "From now on reviews of `acme/widget` are on, the configuration's."},
		{"/github acme/widget reviews off all", "Only an admin can turn something off for everybody."},
		{"/github acme/widget reviews", "Write the repository, then notices"},
		{"/github acme/widget stars on", "Write the repository, then notices"},
		{"/github acme/widget notices maybe", "Write the repository, then notices"},
		{"/webhooks off", "Write the repository, then on"},
		{"/github acme/other notices off", "There is no repository acme/other."},
	} {
		if got := h.ask(step.ask); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: told was %s", step.ask, cmp.Diff(step.want, got))
		}
	}
	if diff := cmp.Diff(repositories{supervisor.GitHubNotices: supervisor.GitHubOwn}, set); diff != "" {
		t.Error(diff)
	}
}

// What an admin turns off for everybody is kept in the audit log.
func TestAnAdminTurnsSomethingOffForEverybody(t *testing.T) {
	h := newRig(t)
	h.is(supervisor.RoleAdmin)
	h.live()
	if got, want := h.ask("/github acme/widget reviews off all"), "From now on reviews of `acme/widget` are off, an admin's."; got != want {
		t.Errorf("told was %q, want %q", got, want)
	}
	if want := "ann github.set reviews of acme/widget: off"; !slices.Contains(h.fakes.audited, want) {
		t.Errorf("audited is %q, want %q", h.fakes.audited, want)
	}
}
