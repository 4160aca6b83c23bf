package config

import (
	"strings"
	"testing"
)

func TestValidateNewUser_RefusesConflicts(t *testing.T) {
	cfg, err := load(t, "state: /s\nusers: [{name: ann, account: ann}, {name: ben, home: /s/homes/carl}]\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user User
		want string // expected part of the error; "" means no error
	}{
		{User{Name: "dan", Role: "user", Home: "/s/homes/dan"}, ""},
		{User{Name: "dan", Role: "admin", Account: "dan", Timezone: "Europe/Madrid", Home: "/s/homes/dan"}, ""},
		{User{Name: "Dan", Role: "user"}, `a user can't be called "Dan"`},
		{User{Name: "Dan", Role: "user"}, "; dan would be one"},
		{User{Name: "a b", Role: "user"}, "; a-b would be one"},
		{User{Name: "../dan", Role: "user"}, `a user can't be called "../dan"`},
		{User{Name: "dan", Role: "boss"}, `no role "boss"`},
		{User{Name: "dan", Role: "user", Timezone: "Mars"}, `no time zone "Mars"`},
		{User{Name: "ann", Role: "user"}, "ann is in the configuration already"},
		{User{Name: "dan", Role: "user", Account: "ann"}, "the account ann is ann's already"},
		{User{Name: "carl", Role: "user", Home: "/s/homes/carl"}, "ben already has /s/homes/carl"},
	} {
		err := cfg.ValidateNewUser(c.user)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: error %v, want %q", c.user, err, c.want)
		}
	}
}
