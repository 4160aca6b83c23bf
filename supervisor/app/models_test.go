package app

import (
	"slices"
	"testing"

	"mews/config"
	"mews/supervisor/model/openai"
)

// The configuration and the provider package use the same names for local servers.
func TestConfig_LocalServerNames_MatchProvider(t *testing.T) {
	if got, want := slices.Sorted(slices.Values(config.OpenAIServers())),
		slices.Sorted(slices.Values(openai.ServerNames())); !slices.Equal(got, want) {
		t.Errorf("the configuration takes %q, there are %q", got, want)
	}
}
