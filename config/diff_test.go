package config

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const before = `
state: /s
telegram: {token: "${BOT}"}
models: {default: p/a, prices: {p/a: {input: 1, output: 2}}, providers: {p: {kind: openai, api_key: "${KEY}"}}}
limits: {turn: 1h}
access: {key_file: seal.key}
github: {token: the-token-of-github, webhook_secret: the-webhook-secret-of-github}
webhooks: {listen: "127.0.0.1:8322"}
hooks: {deploy: {user: bob, secret: the-secret-of-the-hook}}
web: {search: [{name: find, kind: brave, key: the-key-of-the-search}]}
alarms: {url: "https://ntfy.example/a", heartbeat: "https://ping.example/a"}
users:
  - {name: alice, role: admin, telegram: 1}
  - {name: bob, budget: {day: 2}}
  - {name: eve}
`

func TestDiff_ListsChangedKeys(t *testing.T) {
	variables := map[string]string{"BOT": token, "NEWBOT": token + "new", "OTHERBOT": "9" + token, "KEY": "k1",
		"OTHER": "k2"}
	files := map[string]string{"/c/seal.key": strings.Repeat("5a", 32)}
	read := func(text string) *Config {
		t.Helper()
		files["/c/m.yaml"] = text
		cfg, err := Load("/c/m.yaml", testEnv(variables, files))
		if err != nil {
			t.Fatal(err)
		}
		return cfg
	}
	old := read(before)
	for name, c := range map[string]struct {
		replace []string
		want    []KeyChange
	}{
		"nothing":   {nil, nil},
		"the order": {[]string{"  - {name: eve}\n", "", "users:\n", "users:\n  - {name: eve}\n"}, nil},
		"a default": {[]string{"turn: 1h", "turn: 60m, steps: 50"}, nil},
		"a limit":   {[]string{"turn: 1h", "turn: 90m"}, []KeyChange{{"limits.turn", "1h", "1h30m", true}}},
		"the log": {[]string{"state: /s", "state: /s\nlog: {level: debug}"}, []KeyChange{{"log.level", "info",
			"debug", true}}},
		"a key": {[]string{"${KEY}", "${OTHER}"}, []KeyChange{{"models.providers.p.api_key", "***", "***",
			false}}},
		"a token of the bot": {[]string{"${BOT}", "${NEWBOT}"}, []KeyChange{{"telegram.token", "***", "***", false}}},
		"another bot":        {[]string{"${BOT}", "${OTHERBOT}"}, []KeyChange{{"telegram.token", "***", "***", true}}},
		"GitHub's token": {[]string{"the-token-of-github", "the-other-token-of-github"},
			[]KeyChange{{"github.token", "***", "***", false}}},
		"no GitHub": {[]string{"github: {token: the-token-of-github, webhook_secret: the-webhook-secret-of-github}\n",
			""},
			[]KeyChange{{"github.token", "***", "", true}, {"github.webhook_secret", "***", "", true}}},
		"GitHub's secret": {[]string{"the-webhook-secret-of-github", "the-new-secret-of-github"},
			[]KeyChange{{"github.webhook_secret", "***", "***", false}}},
		"a hook's secret": {[]string{"the-secret-of-the-hook", "the-next-secret-of-the-hook"},
			[]KeyChange{{"hooks.deploy.secret", "***", "***", false}}},
		"a search's key": {[]string{"the-key-of-the-search", "the-next-key-of-the-search"},
			[]KeyChange{{"web.search.find.key", "***", "***", false}}},
		"alarms": {[]string{"ntfy.example/a", "ntfy.example/b", "ping.example/a", "ping.example/b"},
			[]KeyChange{{"alarms.heartbeat", "***", "***", false}, {"alarms.url", "***", "***", false}}},
		"no heartbeat": {[]string{", heartbeat: \"https://ping.example/a\"", ""},
			[]KeyChange{{"alarms.heartbeat", "***", "", true}}},
		"the secret": {[]string{"telegram: {token: \"${BOT}\"}", ""}, []KeyChange{{"telegram.token", "***", "",
			true}}},
		"a price": {[]string{"input: 1,", "input: 1.5,"},
			[]KeyChange{{`models.prices."p/a".input`, "1", "1.5", false}}},
		"groups": {[]string{"telegram: {", "telegram: {groups: [-1, -2], "}, []KeyChange{{"telegram.groups", "",
			"-1, -2", false}}},
		"a person's": {[]string{"name: bob, budget: {day: 2}",
			"name: bob, role: admin, totp: true, budget: {day: 2.5}"}, []KeyChange{
			{"users.bob.budget.day", "2", "2.5", false}, {"users.bob.role", "user", "admin", false},
			{"users.bob.totp", "optional", "required", false},
		}},
		"a home": {[]string{"{name: eve}", "{name: eve, home: /e, workspaces: [/w], account: e}"}, []KeyChange{
			{"users.eve.account", "", "e", true}, {"users.eve.home", "/s/homes/eve", "/e", true}, {"users.eve.workspaces", "", "/w", true},
		}},
		"people": {[]string{"{name: eve}", "{name: dan, role: admin, home: /d}"}, []KeyChange{
			{"users.dan", "", "a user of role admin", false}, {"users.eve", "a user of role user", "", false},
		}},
		"what holds for all": {[]string{"limits:", "budget: {users: {day: 1}}\nlimits:"}, []KeyChange{
			{"budget.users.day", "0", "1", false}, {"users.alice.budget.day", "0", "1", false}, {"users.eve.budget.day", "0", "1", false},
		}},
		"a rule": {[]string{"limits:", "approvals: {user: {send_file: ask}}\nlimits:"},
			[]KeyChange{{"approvals.user.send_file", "", "ask", false}}},
	} {
		t.Run(name, func(t *testing.T) {
			got := Diff(old, read(strings.NewReplacer(c.replace...).Replace(before)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	files["/c/seal.key"] = strings.Repeat("5b", 32)
	if diff := cmp.Diff([]KeyChange{{"access.key_file", "seal.key", "seal.key", true}}, Diff(old,
		read(before))); diff != "" {
		t.Errorf("another key in the same file: %s", diff)
	}
}

// Keys whose paths contain a name that the file chooses.
var (
	named     = regexp.MustCompile(`^(users|hooks|services|calendars|github\.repos|models\.providers|models\.prices|speech\.out\.voices|web\.search|approvals\.\w+)\.("[^"]*"|[\w-]+)`)
	userRules = regexp.MustCompile(`^(users\.\*\.approvals|services\.\*\.(?:methods|headers|params))\.[\w-]+`)
)

// Diff reports every key.
func TestDiff_ComparesEveryKey(t *testing.T) {
	patterns := map[string]bool{}
	cfg, err := Load("/etc/mews/mews.yaml", testEnv(wholeNeeds, map[string]string{
		"/etc/mews/mews.yaml": whole, "/keys/seal": strings.Repeat("5a", 32), "/keys/app.pem": appKey(),
	}))
	if err != nil {
		t.Fatal(err)
	}
	for name := range leaves(cfg, cfg) {
		name = userRules.ReplaceAllString(named.ReplaceAllString(name, "$1.*"), "$1.*")
		for p := name; p != ""; p = parentPath(p) {
			patterns["."+p] = true
		}
	}
	for _, key := range allKeys(reflect.TypeFor[Config](), "") {
		if !patterns[key] && key != "" {
			t.Errorf("%s is not compared", key)
		}
	}
}
