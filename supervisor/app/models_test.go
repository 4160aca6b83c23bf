package app

import (
	"fmt"
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

// TestWrongKey_Advice_NamesItsSource checks where the advice says to correct a key.
func TestWrongKey_Advice_NamesItsSource(t *testing.T) {
	provider := func(p config.Provider) config.Models {
		return config.Models{Providers: map[string]config.Provider{"gemini": p}}
	}
	for want, cfg := range map[string]*config.Config{
		fmt.Sprintf(textCheckVariable, "GEMINI_API_KEY"): {Local: true, Models: provider(config.Provider{})},
		fmt.Sprintf(textCheckKeyVariable, "MINE"): {Models: provider(config.Provider{}),
			SecretVariables: map[string]string{"models.providers.gemini.api_key": "MINE"}},
		fmt.Sprintf(textCheckKeyFile, "/etc/key"): {Models: provider(config.Provider{APIKeyFile: "/etc/key"})},
		textCheckKey: {Models: provider(config.Provider{})},
	} {
		if got := keyAdvice(cfg, "gemini"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
