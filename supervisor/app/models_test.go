package app

import (
	"slices"
	"testing"

	"mews/config"
	"mews/supervisor/model/openai"
)

// The configuration and the provider package use the same names for local servers.
func TestConfig_ServerNames_MatchProvider(t *testing.T) {
	if got, want := slices.Sorted(slices.Values(config.Servers())), slices.Sorted(slices.Values(openai.Servers())); !slices.Equal(got, want) {
		t.Errorf("the configuration takes %q, there are %q", got, want)
	}
}
