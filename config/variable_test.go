package config

import (
	"strings"
	"testing"
)

// flowExample has variables without quotes inside braces.
const flowExample = `telegram:
  token: ${TELEGRAM_TOKEN}         # or token_file
models:
  default: claude/claude-sonnet-4-5
  providers:
    claude: {kind: anthropic, api_key: ${ANTHROPIC_API_KEY}, base_url: https://${HOST}/x}
    local: {kind: openai, base_url: http://127.0.0.1:11434/v1, api_key: ${ANTHROPIC_API_KEY}}
users:
  - {name: alice, telegram: 42, role: admin, home: "/srv/${HOST}", workspaces: [/srv/${HOST}]}
`

func TestLoad_VariableInBraces_IsRead(t *testing.T) {
	variables := map[string]string{"TELEGRAM_TOKEN": "42:token-of-a-bot-0123456789", "ANTHROPIC_API_KEY": "sk-1", "HOST": "a.example"}
	cfg, err := load(t, flowExample, variables)
	if err != nil {
		t.Fatal(err)
	}
	claude := cfg.Models.Providers["claude"]
	if claude.BaseURL != "https://a.example/x" || claude.APIKey.Reveal() != "sk-1" || cfg.Users[0].Home != "/srv/a.example" ||
		cfg.Users[0].Workspaces[0] != "/srv/a.example" {
		t.Errorf("read was %+v, %+v", claude, cfg.Users[0])
	}
}

func TestLoad_ProblemBesideVariable_NamesLine(t *testing.T) {
	for text, want := range map[string]string{
		"log: {level: ${LEVEL}}\nno_such_key: 1\n":                   "mews.yaml:2: no_such_key: ",
		"log:\n  level: info\nmodels: {default: ${A b}, small: x}\n": `:3: got text that is not YAML`,
		"log: {level: info}\nmodels: {default: ${A b}, small: x}\n":  `want "${NAME}" in quotes inside { } or [ ]`,
		"log: {level: info\n":     "want key: value",
		"log: {level: ${NONE}}\n": "mews.yaml:1: log.level: ",
		"log: {level: \"a, ${LEVEL}\", format: ${LEVEL}}\nlisten: [}]\n": "not YAML",
	} {
		_, err := load(t, text, map[string]string{"LEVEL": "info"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", text, err, want)
		}
	}
}
