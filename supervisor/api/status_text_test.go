package api

import (
	"strings"
	"testing"
	"time"

	"mews/supervisor/pool"
)

// TestStatusText_SharedAccount_IsShown: with the walls "accounts", an admin sees that people share
// an account.
func TestStatusText_SharedAccount_IsShown(t *testing.T) {
	for _, c := range []struct {
		tier, state, sharing string
		shares               []bool
		want                 string // the wanted line about sharing; "" means no such line
	}{
		{"accounts", "/s", "ids are taken", []bool{true, true},
			"2 people share one Unix account, although each should have one: ids are taken"},
		{"accounts", "/s", "", []bool{true, true, false}, "although each should have one: " + textWhyShared},
		{"accounts", "/s", "ids are taken", []bool{true, false}, ""},
		{"accounts", "", "ids are taken", []bool{true, true}, ""},
		{"namespaces", "/s", "", []bool{true, true}, ""},
	} {
		s := Status{State: c.state, Sharing: c.sharing, Walls: pool.Sandbox{Tier: c.tier}}
		for _, shares := range c.shares {
			s.Users = append(s.Users, UserStatus{Shares: shares})
		}
		text := s.Text(time.Now())
		if c.want == "" && strings.Contains(text, "one Unix account") || !strings.Contains(text, c.want) {
			t.Errorf("%+v: %s", c, text)
		}
	}
}
