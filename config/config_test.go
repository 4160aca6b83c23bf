package config

import (
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// machine is an Env with these variables and files, and nobody else's.
func machine(variables, files map[string]string) Env {
	return Env{
		Getenv: func(name string) string { return variables[name] },
		ReadFile: func(path string) ([]byte, error) {
			text, ok := files[path]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
			}
			return []byte(text), nil
		},
		Home:  "/home/alice",
		Login: "alice",
		Cwd:   "/srv/dir",
	}
}

// load loads a text as /etc/mews/mews.yaml.
func load(t *testing.T, text string, variables map[string]string) (*Config, error) {
	t.Helper()
	return Load("/etc/mews/mews.yaml", machine(variables, map[string]string{"/etc/mews/mews.yaml": text}))
}

// same compares configurations, their secrets too.
func same(want, got *Config) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b Secret) bool { return a.Reveal() == b.Reveal() }))
}

func TestEmptyFileIsTheDefaults(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "comment": "# nothing\n", "null": "~\n", "no keys": "{}\n"} {
		t.Run(name, func(t *testing.T) {
			got, err := load(t, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := &Config{
				State:  "/home/alice/.local/state/mews",
				Log:    Log{Level: "info", Format: "json"},
				Models: Models{Default: "offline"},
				Worker: Worker{Idle: 30 * time.Minute},
				Limits: Limits{Steps: 50, Turn: 15 * time.Minute, History: 32000, Output: 16 << 10},
				Users: []User{{
					Name: "alice", Role: "admin", Account: "alice", Home: "/home/alice/.local/state/mews/homes/alice",
				}},
			}
			if diff := same(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const whole = `
state: /var/lib/mews/
log: {level: debug, format: text}
models:
  default: local/org/qwen3:8b
  providers:
    local: {kind: openai, base_url: "http://127.0.0.1:${PORT}/v1"}
    cloud: {kind: openai, api_key: "${KEY}"}
worker: {idle: 90s}
limits: {steps: "${STEPS}", turn: 1h, history: 1000, output: 1KiB}
files: {include: ["**"], exclude: ["$${x}/*"]}
users:
  - {name: alice, role: admin, account: al, timezone: Europe/Madrid, model: cloud/gpt}
  - {name: bob, home: /srv//bob/, files: {include: [], append_only: ["journal/**"]}}
`

func TestWholeFile(t *testing.T) {
	got, err := load(t, whole, map[string]string{"PORT": "99", "KEY": "${PORT}", "STEPS": "7"})
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		State: "/var/lib/mews",
		Log:   Log{Level: "debug", Format: "text"},
		Models: Models{Default: "local/org/qwen3:8b", Providers: map[string]Provider{
			"local": {Kind: "openai", BaseURL: "http://127.0.0.1:99/v1"},
			"cloud": {Kind: "openai", BaseURL: "https://api.openai.com/v1", APIKey: NewSecret("${PORT}")},
		}},
		Worker: Worker{Idle: 90 * time.Second},
		Limits: Limits{Steps: 7, Turn: time.Hour, History: 1000, Output: KiB},
		Files:  Files{Include: []string{"**"}, Exclude: []string{"${x}/*"}},
		Users: []User{
			{
				Name: "alice", Role: "admin", Account: "al", Home: "/var/lib/mews/homes/alice", Timezone: "Europe/Madrid",
				Model: "cloud/gpt", Files: Files{Include: []string{"**"}, Exclude: []string{"${x}/*"}},
			},
			{
				Name: "bob", Role: "user", Home: "/srv/bob",
				Files: Files{Include: []string{}, Exclude: []string{"${x}/*"}, AppendOnly: []string{"journal/**"}},
			},
		},
	}
	if diff := same(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestProblems loads each testdata/*.yaml and compares the whole error with the .txt beside it.
func TestProblems(t *testing.T) {
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("find the golden files: %d found, error %v", len(names), err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			env := machine(map[string]string{"TOKEN": "hunter2"}, map[string]string{
				"/etc/mews/mews.yaml": string(text), "/etc/mews/empty": "\n", "/etc/mews/two": "a\nb\n",
				"/etc/mews/right": "hunter2\n", "/srv/keys/openai": "hunter2",
			})
			_, err = Load("/etc/mews/mews.yaml", env)
			var list *ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("got %v, want an ErrorList", err)
			}
			golden(t, strings.TrimSuffix(name, ".yaml")+".txt", err.Error()+"\n")
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("the error shows a secret")
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Error(diff)
	}
}

func TestMissingFile(t *testing.T) {
	_, err := Load("/nowhere.yaml", machine(nil, nil))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/nowhere.yaml") {
		t.Errorf("got %v, want one that says that /nowhere.yaml is not there", err)
	}
}

func TestManyProblemsAreCounted(t *testing.T) {
	_, err := load(t, strings.Repeat("x: 1\n", 200), nil)
	lines := strings.Split(err.Error(), "\n")
	if last := lines[len(lines)-1]; len(lines) != maxShown+1 || !strings.HasSuffix(last, "and 150 more") {
		t.Errorf("got %d lines, the last one %q", len(lines), last)
	}
}

func TestSecretFile(t *testing.T) {
	const text = "models: {providers: {p: {kind: openai, api_key_file: NAME}}}\n"
	files := map[string]string{
		"/run/credentials/a": "from systemd\n",
		"/etc/mews/a":        "beside the file\r\n",
		"/etc/mews/b":        "beside",
		"/abs/c":             "absolute\n",
	}
	for _, test := range []struct{ name, credentials, want string }{
		{"a", "/run/credentials", "from systemd"},
		{"a", "", "beside the file"},
		{"b", "/run/credentials", "beside"},
		{"/abs/c", "/run/credentials", "absolute"},
	} {
		t.Run(test.name+" with "+test.credentials, func(t *testing.T) {
			files["/etc/mews/mews.yaml"] = strings.Replace(text, "NAME", test.name, 1)
			cfg, err := Load("/etc/mews/mews.yaml", machine(map[string]string{"CREDENTIALS_DIRECTORY": test.credentials}, files))
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.Models.Providers["p"].APIKey.Reveal(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// FuzzLoad: no text makes it panic, and what it accepts keeps its promises.
func FuzzLoad(f *testing.F) {
	f.Add(whole)
	f.Add("a: &a [*a]\n")
	f.Add("users: [{name: a, home: /a}, {name: b, home: /a/b}]")
	names, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range append(names, "../deploy/mews.example.yaml") {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		env := machine(map[string]string{"PORT": "99", "KEY": "k", "STEPS": "7"}, map[string]string{"/m.yaml": text})
		cfg, err := Load("/m.yaml", env)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "/m.yaml:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		again := *cfg
		complete(&again, env)
		if diff := same(cfg, &again); diff != "" {
			t.Errorf("it was not complete: %s", diff)
		}
		c := &checker{cfg: cfg}
		if c.check(); len(c.problems) > 0 {
			t.Errorf("accepted, but %v", c.problems)
		}
	})
}
