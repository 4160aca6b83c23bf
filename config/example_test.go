package config

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// These tests read the example configuration. Unchanged, the example has the defaults. With the
// commented lines enabled, the example has every key.

const examplePath = "../deploy/mews.example.yaml"

// optional matches the # of a commented key. A remark has a space after the #, or is indented
// deeper than any key.
var optional = regexp.MustCompile(`(?m)^#(( {2})*(- )?[a-z][a-z0-9_/.-]*:)`)

func exampleText(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(examplePath)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// enableAll enables every commented line of the example. If a key appears twice, the commented line
// wins.
func enableAll(text string) string {
	text = optional.ReplaceAllString(text, "$1")
	return strings.NewReplacer("  providers: {}\n", "", "  fallback: []", "  fallback: [local/qwen3]",
		"api_url: https://api.telegram.org ", "api_url: http://127.0.0.1:8081 ").Replace(text)
}

// givenDefaults sets keys to their defaults. For these keys, a Config distinguishes the default in
// the file from a missing key.
const givenDefaults = `
files: {include: [], exclude: [], append_only: []}
models: {fallback: [], allowed: [], providers: {}}
worker: {read_only: []}
history: {exclude: []}
telegram: {groups: []}
budget: {month: 0, users: {turn: 0, day: 0, month: 0, extend: 0}}
`

func TestExample_HasDefaults(t *testing.T) {
	want, err := load(t, givenDefaults, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := load(t, exampleText(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := compareConfigs(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExample_HasEveryKey(t *testing.T) {
	text := enableAll(exampleText(t))
	const fileSecret = "0123456789abcdef\n"
	files := map[string]string{"/e/github.secret": fileSecret, "/e/github.token": fileSecret, "/e/backup.secret": fileSecret, "/e/todoist.token": fileSecret, "/e/stock.key": fileSecret, "/e/family.calendar": "https://example.org/family.ics\n", "/e/openai.key": "k\n", "/e/alarm.url": "https://ntfy.sh/t\n", "/e/heartbeat.url": "https://hc-ping.com/t\n", "/e/tavily.key": "k\n", "/e/seal.key": strings.Repeat("5a", 32) + "\n", "/e/telegram.token": token + "\n", "/e/telegram.secret": secret + "\n"}
	env := testEnv(map[string]string{
		"ANTHROPIC_API_KEY": "k", "ALARM_URL": "https://ntfy.sh/t", "BRAVE_KEY": "k", "OPENAI_API_KEY": "k",
		"TELEGRAM_TOKEN": token, "TELEGRAM_SECRET": secret,
		"GITHUB_TOKEN": secret, "GITHUB_WEBHOOK_SECRET": secret, "BACKUP_SECRET": secret,
		"HOME_ASSISTANT_TOKEN": secret, "NTFY_TOKEN": secret, "PERPLEXITY_API_KEY": secret,
	}, files)
	app := regexp.MustCompile(`(?m)^  app:.*\n( {4}.*\n)*`) // an app and a token for GitHub exclude each other
	full := text
	text = app.ReplaceAllString(text, "")
	// the keys job and chat of a hook exclude each other
	text = regexp.MustCompile(`(?m)^    job:.*\n`).ReplaceAllString(text, "")
	for _, one := range []*regexp.Regexp{
		regexp.MustCompile(`(?m)^ +((token|secret|webhook_secret|heartbeat)_file:|url_file: alarm).*\n`),
		regexp.MustCompile(`(?m)^ +(token:|secret:|webhook_secret:|heartbeat:|url: \$\{ALARM_URL\}).*\n`),
	} {
		// a secret and its file exclude each other
		files["/e/mews.yaml"] = one.ReplaceAllString(text, "")
		cfg, err := Load("/e/mews.yaml", env)
		if err != nil {
			t.Fatal(err)
		}
		if cfg.Telegram.Token.Reveal() != token || cfg.Telegram.Webhook.Secret.Reveal() != secret {
			t.Errorf("without %v the secrets are others", one)
		}
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(full), &document); err != nil {
		t.Fatal(err)
	}
	stand := map[string]bool{}
	notePaths(document.Content[0], reflect.TypeFor[Config](), "", stand)
	for _, key := range allKeys(reflect.TypeFor[Config](), "") {
		if !stand[key] {
			t.Errorf("%s has no %s", examplePath, key)
		}
	}
}

// Each key has a remark on its line, or above it.
func TestExample_EachKey_HasRemark(t *testing.T) {
	explained := map[string]bool{}
	key := regexp.MustCompile(`^ *(?:- )?([a-z_]+):(.*)`)
	above := false
	for line := range strings.Lines(enableAll(exampleText(t))) {
		m := key.FindStringSubmatch(line)
		if m != nil && (above || strings.Contains(m[2], " # ")) {
			explained[m[1]] = true
		}
		above = strings.HasPrefix(strings.TrimSpace(line), "# ")
	}
	for _, path := range allKeys(reflect.TypeFor[Config](), "") {
		if name := path[strings.LastIndex(path, ".")+1:]; name != "*" && name != "providers" && !explained[name] {
			t.Errorf("%s has no word of why %s is there", examplePath, path)
		}
	}
}

// Function keyNames needs this order. It uses the index of a field as the index of the field's key.
func TestConfigStruct_KeylessFields_AreLast(t *testing.T) {
	without := 0
	for f := range reflect.TypeFor[Config]().Fields() {
		_, ok := f.Tag.Lookup("yaml")
		switch {
		case !ok:
			without++
		case without > 0:
			t.Errorf("%s has a key and comes after a field that has none", f.Name)
		}
	}
	if without != 7 {
		t.Errorf("%d fields have no key, want Local, File, Client, SecretFiles, SecretVariables, Hints and Warnings",
			without)
	}
}

// allKeys returns the paths of all keys of the types, with * for a name or an index.
func allKeys(t reflect.Type, path string) []string {
	if _, ok := scalars[t]; ok {
		return []string{path}
	}
	if t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Struct {
		return []string{path}
	}
	if t.Kind() != reflect.Struct {
		return append([]string{path}, allKeys(t.Elem(), path+".*")...)
	}
	var all []string
	for i, key := range keyNames(t) {
		all = append(all, allKeys(t.Field(i).Type, path+"."+key)...)
	}
	return all
}

// notePaths notes the paths in a tree, in the format of allKeys.
func notePaths(n *yaml.Node, t reflect.Type, path string, stand map[string]bool) {
	stand[path] = true
	for i, child := range n.Content {
		switch {
		case n.Kind == yaml.SequenceNode:
			notePaths(child, t.Elem(), path+".*", stand)
		case i%2 == 0: // a key; the next node is its value
		case t.Kind() == reflect.Map:
			notePaths(child, t.Elem(), path+".*", stand)
		default:
			key := n.Content[i-1].Value
			notePaths(child, t.Field(slices.Index(keyNames(t), key)).Type, path+"."+key, stand)
		}
	}
}
