package main

import (
	"strings"
	"testing"

	"mews/config"
)

func TestCheckSaysWhatHoldsForAUser(t *testing.T) {
	c := newCommandLine(t)
	out := c.does("check")
	for _, want := range []string{"/ann, budget $2.50 a day\n", "/ben, second factor required\n", "/cleo, second factor off\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q", out, want)
		}
	}
	if got := limitsText(config.User{TOTP: config.TOTPOptional}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}
