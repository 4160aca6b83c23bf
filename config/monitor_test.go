package config

import (
	"strings"
	"testing"
)

// TestListen_PortOfWebhooks_IsOmitted: a configuration that has set no listen stays valid if its
// webhooks have the default port.
func TestListen_PortOfWebhooks_IsOmitted(t *testing.T) {
	for _, c := range []struct{ listen, webhooks, want string }{
		{"", "127.0.0.1:8321", ""},
		{"", "localhost:8321", ""},
		{"", "0.0.0.0:8321", ""},
		{"", "'[::]:8321'", ""},
		{"", "10.1.2.3:8321", "127.0.0.1:8321"},
		{"", "127.0.0.1:8322", "127.0.0.1:8321"},
		{"localhost:8322", "127.0.0.1:8322", "wrong"},
		{"127.0.0.1:8322", "0.0.0.0:8322", "wrong"},
		{"localhost:8322", "10.1.2.3:8322", "localhost:8322"},
	} {
		text := "webhooks: {listen: " + c.webhooks + "}\nusers: [{name: ann}]\n"
		if c.listen != "" {
			text += "listen: " + c.listen + "\n"
		}
		got, err := load(t, text, nil)
		switch {
		case c.want == "wrong":
			if err == nil || !strings.Contains(err.Error(), wantOtherListen) {
				t.Errorf("%+v: got %v", c, err)
			}
		case err != nil || got.Listen != c.want:
			t.Errorf("%+v: got %+v, %v", c, got, err)
		}
	}
}
