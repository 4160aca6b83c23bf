package supervisor_test

import (
	"slices"
	"testing"

	"mews/supervisor"
)

// A private text goes to the channel on which the user has an account. Without an account, it goes
// to a channel that needs none.
func TestPrivateChat_Account_IsPreferred(t *testing.T) {
	alice := supervisor.User{Name: "alice", Accounts: map[supervisor.Channel]string{supervisor.ChannelTelegram: "42"}}
	for _, c := range []struct {
		user supervisor.User
		want supervisor.Conversation
	}{
		{alice, supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"}},
		{supervisor.User{Name: "bob"}, supervisor.Conversation{User: "bob", Channel: supervisor.ChannelTerminal}},
	} {
		if got := c.user.PrivateChat(); got != c.want {
			t.Errorf("%s is told in %+v, want %+v", c.user.Name, got, c.want)
		}
	}
}

func TestFilterChannels_ByCapability_ReturnsMatch(t *testing.T) {
	for name, c := range map[string]struct{ got, want []supervisor.Channel }{
		"private": {supervisor.PrivateChannels(), []supervisor.Channel{supervisor.ChannelTerminal}},
		"all": {supervisor.FilterChannels(func(supervisor.Capabilities) bool { return true }),
			[]supervisor.Channel{supervisor.ChannelTelegram, supervisor.ChannelTerminal}},
		"none": {supervisor.FilterChannels(func(supervisor.Capabilities) bool { return false }), nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if can := supervisor.Channel("pigeon").Capabilities(); can != (supervisor.Capabilities{}) {
		t.Errorf("an unknown channel can %+v", can)
	}
}
