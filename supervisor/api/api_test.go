package api

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/access"
	"mews/supervisor/feature"
)

// Unix user ids of the rig's users, and an id that belongs to no user.
const (
	anns, bens, cats, nobodys = 1001, 1002, 1003, 1004
)

// rig is an API with three calls for tests: whose, admins and bare.
type rig struct {
	*testing.T
	table   *API
	audited []string
}

// name has the parameters of the call whose.
type name struct {
	User string `json:"user,omitempty"`
}

func newRig(t *testing.T) *rig {
	t.Helper()
	users := []supervisor.User{
		{Name: "ann", Account: "ann"}, {Name: "ben", Account: "ben", Role: supervisor.RoleAdmin},
		{Name: "cat", Account: "cat"},
	}
	people, err := access.NewPeople(nil, uint32(os.Getuid()), func(account string) (uint32, error) {
		return map[string]uint32{"ann": anns, "ben": bens, "cat": cats}[account], nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := people.SetUsers(users, access.StoredUsers{Suspended: []string{"cat"}}); err != nil {
		t.Fatal(err)
	}
	r := &rig{T: t}
	done := func(context.Context, feature.Caller) (string, error) { return "done", nil }
	admins := withoutParameters("admins", done)
	admins.AdminsOnly = true
	r.table, err = New(Options{People: people, Audit: func(user, action, detail string) {
		r.audited = append(r.audited, fmt.Sprintf("%s %s %s", user, action, detail))
	}}, []feature.ControlCall{admins}, []feature.ControlCall{
		withoutParameters("bare", done),
		feature.NewControlCall("whose", func(_ context.Context, by feature.Caller, q name) (string, error) {
			return resolveUser(by, q.User, "look")
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// call makes a call as a process with a Unix user id.
func (r *rig) call(uid uint32, method string, params any) (any, error) {
	r.Helper()
	text, err := json.Marshal(params)
	if err != nil {
		r.Fatal(err)
	}
	answer, known := r.table.Methods()[method]
	if !known {
		r.Fatalf("no call %s", method)
	}
	return answer(r.Context(), uid, &protocol.Request{Method: method, Params: text})
}

func TestAnswer_EachCaller_HasItsPermissions(t *testing.T) {
	for _, c := range []struct {
		as     string
		uid    uint32
		method string
		want   bool
	}{
		{"a user", anns, "bare", true},
		{"a user", anns, "admins", false},
		{"an admin", bens, "admins", true},
		{"the service itself", uint32(os.Getuid()), "admins", true},
		{"root", 0, "admins", true},
		{"a suspended user", cats, "bare", false},
		{"a stranger", nobodys, "bare", false},
		{"a stranger", nobodys, "admins", false},
	} {
		_, err := newRig(t).call(c.uid, c.method, struct{}{})
		if c.want && err != nil || !c.want && supervisor.ErrorCodeOf(err) != supervisor.CodeForbidden {
			t.Errorf("%s calls %s: %v", c.as, c.method, err)
		}
	}
}

func TestAnswer_WrongCall_IsRefused(t *testing.T) {
	r := newRig(t)
	if _, err := r.call(anns, "bare", name{"ann"}); err == nil {
		t.Error("parameters were taken, and there are none")
	}
	if _, err := r.table.AnswerCall(t.Context(), r.table.Caller(anns), &protocol.Request{Method: "sing"}); err == nil {
		t.Error("a method that there is not was answered")
	}
}

func TestCaller_OthersData_IsForAdminsAndAudited(t *testing.T) {
	for _, c := range []struct {
		as      string
		uid     uint32
		about   string
		want    any
		refused bool
		audited []string
	}{
		{as: "a user about nobody", uid: anns, want: "ann"},
		{as: "a user about themselves", uid: anns, about: "ann", want: "ann"},
		{as: "a user about another", uid: anns, about: "ben", refused: true},
		{as: "an admin about everybody", uid: bens, want: ""},
		{as: "an admin about themselves", uid: bens, about: "ben", want: "ben"},
		{as: "an admin about another", uid: bens, about: "ann", want: "ann", audited: []string{"ann look by uid 1002"}},
		{as: "root about another", uid: 0, about: "ann", want: "ann", audited: []string{"ann look by uid 0"}},
	} {
		r := newRig(t)
		got, err := r.call(c.uid, "whose", name{c.about})
		if c.refused != (err != nil) || !c.refused && got != c.want {
			t.Errorf("%s: %v, %v", c.as, got, err)
		}
		if !slices.Equal(r.audited, c.audited) {
			t.Errorf("%s: audited is %q", c.as, r.audited)
		}
	}
}

func TestCall_ThisProcess_IsAnAdmin(t *testing.T) {
	r := newRig(t)
	var got string
	if err := r.table.Call(t.Context(), "admins", struct{}{}, &got); err != nil || got != "done" {
		t.Errorf("answered was %q, %v", got, err)
	}
}

func TestNew_TwoCallsOfOneName_Fails(t *testing.T) {
	one := []feature.ControlCall{{Name: "one"}}
	if _, err := New(Options{}, one, one); err == nil {
		t.Error("two calls have one name")
	}
}
