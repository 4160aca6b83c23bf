package github_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/github"
	"mews/supervisor/problem"
)

// switched returns the switches that a user sees, one on each line.
func (r *rig) switched(user string) (list []string) {
	r.Helper()
	all, err := r.switches.List(r.Context(), user)
	if err != nil {
		r.Fatal(err)
	}
	for _, s := range all {
		list = append(list, fmt.Sprintf("%s %s %v %s", s.Repo, s.What, s.On, s.Source))
	}
	return list
}

// set sets a switch with the words that a user types. It returns the text of the error.
func (r *rig) set(user, words string) string {
	w := strings.Fields(words)
	err := r.switches.Set(r.Context(), user, github.ServiceSwitch{Repo: w[0], What: github.RepoService(w[1])}, w[2],
		len(w) == 4)
	if err == nil {
		return ""
	}
	return problem.UserText(err)
}

// TestServiceSwitches_TellWhoSetThem checks that users can turn on only services that are on in the
// configuration. An admin's setting holds for everybody, and a user's setting for that user.
func TestServiceSwitches_TellWhoSetThem(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		shared := supervisor.GitHubRepo{Name: "acme/shared", User: "bob", Review: true, Notify: []supervisor.GitHubRecipient{{Chat: "-100123"}, {User: "bob"}}}
		r := newRig(t, supervisor.GitHubRepo{Name: "acme/widget", User: "alice", Triage: true}, shared)
		r.same("bob's", r.switched("bob"), []string{"acme/shared notices true configured", "acme/shared reviews true configured", "acme/shared triage false configured"})
		r.same("alice's", r.switched("alice"), []string{"acme/widget notices true configured", "acme/widget reviews false configured", "acme/widget triage true configured",
			"acme/shared notices false configured", "acme/shared reviews true configured", "acme/shared triage false configured"})
		for _, step := range []struct{ user, words, told string }{
			{"bob", "acme/widget notices on", "You have no repository acme/widget"},
			{"alice", "acme/widget reviews on", "The configuration has no reviews"},
			{"alice", "acme/shared reviews off", "The reviews of acme/shared are not yours."},
			{"alice", "acme/shared notices on", "The notices of acme/shared are not yours."},
			{"bob", "ACME/shared notices off", ""},
			{"alice", "acme/shared reviews off all", ""},
			{"bob", "acme/shared reviews on", "An admin has turned off the reviews"},
		} {
			if got := r.set(step.user, step.words); !strings.HasPrefix(got, step.told) || got != "" && step.told == "" {
				t.Errorf("%s: %s: told was %q", step.user, step.words, got)
			}
		}
		r.same("bob's then", r.switched("bob"), []string{"acme/shared notices false own", "acme/shared reviews false admin", "acme/shared triage false configured"})

		opened := pull("opened", 3)
		opened.Repo = "acme/shared"
		r.put("1", opened)
		r.live(time.Minute)
		r.same("told", r.told(), []string{"bob -100123: PR #3 opened in `acme/shared` by dave"})
		r.same("reviews", r.reviews.asked, nil)

		r.set("alice", "acme/shared reviews on all")
		r.set("alice", "acme/shared notices off all")
		r.set("bob", "acme/shared notices default")
		r.same("bob's at last", r.switched("bob"), []string{"acme/shared notices false admin", "acme/shared reviews true configured", "acme/shared triage false configured"})
		opened.Number = 4
		r.put("2", opened)
		r.live(time.Minute)
		r.same("told of what is off for all", r.told()[1:], nil)
		r.same("reviews at last", r.reviews.asked, []string{"acme/shared#4 fork=false"})
	})
}
