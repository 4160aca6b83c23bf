package app

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/budget"
	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
	"mews/supervisor/users"
)

// A turn of a user who is not served may spend nothing.
func TestBudget_UnservedUser_MaySpendNothing(t *testing.T) {
	_, err := budget.DenyAllReserver{}.Reserve(t.Context(), modelcall.CostEstimate{Spec: "a/b", MaxCost: 1,
		Priced: true})
	if supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
		t.Errorf("got %v", err)
	}
}

// Only admins may see what all users have spent.
func TestBudgetOptions_Admin_IsSetOnlyForAdmins(t *testing.T) {
	s := newTwoPersonService(t)
	for name, admin := range map[string]bool{"ann": true, "ben": false} {
		c := supervisor.Conversation{User: name, Channel: supervisor.ChannelTerminal}
		if o, served, err := s.budgetOf(supervisor.Turn{Conversation: c}); err != nil || !served || o.Admin != admin {
			t.Errorf("of %s: admin is %v, served is %v, %v", name, o.Admin, served, err)
		}
	}
}

// Only a review that its user requested counts for the user's daily limit of reviews. Admins have
// no such limit.
func TestBudget_RequestedReview_HasDailyLimit(t *testing.T) {
	s := newTwoPersonService(t)
	for i, c := range []struct {
		user, source string
		want         int64
	}{
		{"ben", supervisor.SourceGitHubWorkRequest, 2_000_000}, {"ben", "github/acme/widget", 0}, {"ann",
			supervisor.SourceGitHubWorkRequest, 0},
	} {
		in, _, err := s.db.Inbox().StoreInbound(t.Context(), supervisor.Inbound{Source: c.source, Key: fmt.Sprint(i),
			Kind: supervisor.KindReview, Text: "review it",
			Conversation: supervisor.Conversation{User: c.user, Channel: supervisor.ChannelGitHub, Chat: "diff",
				Thread: fmt.Sprint(i)},
			Destination: supervisor.Conversation{User: c.user, Channel: supervisor.ChannelTerminal}})
		if err != nil {
			t.Fatal(err)
		}
		turn, _, err := s.db.Turns().Start(t.Context(), in.ID, nil)
		if err != nil {
			t.Fatal(err)
		}
		if o, served, err := s.budgetOf(turn); err != nil || !served || o.Requested != c.want || o.Pot == "" {
			t.Errorf("%s, %s: %+v, %v, %v", c.user, c.source, o, served, err)
		}
	}
}

// If a user's own lower limit can't be read, the user may spend nothing. So the limit is never
// exceeded.
func TestBudget_UnreadableLimit_SpendsNothing(t *testing.T) {
	s := newTwoPersonService(t)
	p := s.settings
	set(t, p, "ann", users.SettingDailyLimit, "1.25")
	set(t, p, "ann", users.SettingTimezone, "Asia/Tokyo")
	turn := supervisor.Turn{ID: 1, Conversation: supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTerminal}}
	if _, paid := s.newReserver(turn).(*budget.Reserver); !paid {
		t.Errorf("the reserver is %T", s.newReserver(turn))
	}
	set(t, p, "ann", users.SettingTimezone, "Asia/Tokyo") // writing a setting makes the service read all settings again
	changeDatabase(t, s, "ALTER TABLE setting RENAME TO gone")
	reserver := s.newReserver(turn)
	_, err := reserver.Reserve(t.Context(), modelcall.CostEstimate{Spec: "far/m", MaxCost: 1, Priced: true})
	refused := new(modelcall.Error)
	if !errors.As(err, &refused) || refused.Class != modelcall.OverBudget ||
		!strings.Contains(problem.UserText(err), "Your budget could not be read, so far/m was not asked.") {
		t.Errorf("what costs something came to %v", err)
	}
	if _, err := reserver.Reserve(t.Context(), modelcall.CostEstimate{Spec: "far/m"}); err == nil {
		t.Error("what nobody knows the price of was paid for")
	}
	if _, err := reserver.Reserve(t.Context(), modelcall.CostEstimate{Spec: "offline", Priced: true}); err != nil {
		t.Errorf("what costs nothing came to %v", err)
	}
	if ann, _ := p.Find("ann"); ann.Timezone != "Asia/Tokyo" { // the last known value of the setting still holds
		t.Errorf("ann lives in %q", ann.Timezone)
	}
	if ben, known := p.Find("ben"); !known || ben.Name != "ben" { // no setting of ben was read before
		t.Errorf("ben is %+v", ben)
	}
	changeDatabase(t, s, "ALTER TABLE gone RENAME TO setting")
	if _, paid := s.newReserver(turn).(*budget.Reserver); !paid {
		t.Errorf("once it can be read again the reserver is %T", s.newReserver(turn))
	}
}
