package api

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/model"
)

// TestWelcome_NamesUserModelAndAdmins checks what a person reads first: their name and role, the
// reader of the model's requests, and the admins.
func TestWelcome_NamesUserModelAndAdmins(t *testing.T) {
	mum := supervisor.User{Name: "mum", Role: supervisor.RoleUser}
	alice := supervisor.User{Name: "alice", Role: supervisor.RoleAdmin}
	quoted := []string{"`alice`", "`bob`"}
	for name, c := range map[string]struct {
		in   welcome
		want []string
		not  []string
	}{
		"a user on Telegram": {
			welcome{user: mum, model: "claude/haiku", reader: model.ExposureProvider, admins: quoted, via: "Telegram"},
			[]string{fmt.Sprintf(textsWelcome[false], "`mum`"), fmt.Sprintf(textsReader[model.ExposureProvider],
				"`claude/haiku`"),
				fmt.Sprintf(textSeenByAdmins, "`alice`, `bob`"), fmt.Sprintf(textSeenByCarrier, "Telegram"),
				textWelcomeCan, textSeenByOthers},
			[]string{"/invite"},
		},
		"the only admin, in the terminal": {
			welcome{user: alice, model: "offline", reader: model.ExposureNone},
			[]string{fmt.Sprintf(textsWelcome[true], "`alice`"), fmt.Sprintf(textsReader[model.ExposureNone],
				"`offline`"),
				textSeenByAdminAlone},
			[]string{fmt.Sprintf(textSeenByCarrier, "")},
		},
		"one of two admins": {
			welcome{user: alice, model: "near/qwen3", reader: model.ExposureMachine, admins: quoted[1:]},
			[]string{fmt.Sprintf(textSeenByAdminsToo, "`bob`"), fmt.Sprintf(textsReader[model.ExposureMachine],
				"`near/qwen3`")},
			nil,
		},
		"a server of the household": {
			welcome{user: mum, model: "nas/qwen3", reader: model.ExposureNetwork, admins: quoted[:1]},
			[]string{fmt.Sprintf(textsReader[model.ExposureNetwork], "`nas/qwen3`"), fmt.Sprintf(textSeenByAdmins,
				"`alice`")}, nil,
		},
	} {
		got := c.in.text()
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
		for _, not := range append(c.not, "%!") {
			if strings.Contains(got, not) {
				t.Errorf("%s: %q has %q", name, got, not)
			}
		}
	}
}

// TestUserModel_ChosenModel_IsNamed checks that the user's own choice is named, and otherwise the
// configuration's model.
func TestUserModel_ChosenModel_IsNamed(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		chosen string
		err    error
		want   string
	}{{"far/own", nil, "far/own"}, {"", nil, "far/set"}, {"", broken, "far/set"}} {
		r := StatusReporter{Models: &model.Catalogue{}}
		r.Chosen = func(context.Context, string) (string, bool, error) { return c.chosen, true, c.err }
		if got := r.UserModel(t.Context(), supervisor.User{Name: "mum", Model: "far/set"}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
