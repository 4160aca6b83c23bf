package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	all := []string{"/srv/dir/mews.yaml", "/home/alice/.config/mews/mews.yaml", "/etc/mews/mews.yaml"}
	for _, test := range []struct {
		name, explicit, xdg string
		exist               []string
		want                string
	}{
		{name: "what was named, be it there or not", explicit: "x.yaml", exist: all, want: "x.yaml"},
		{name: "the working directory first", exist: all, want: all[0]},
		{name: "then the person's", exist: all[1:], want: all[1]},
		{name: "where XDG says", xdg: "/xdg", exist: []string{"/xdg/mews/mews.yaml", all[1]}, want: "/xdg/mews/mews.yaml"},
		{name: "a relative XDG folder is ignored", xdg: "xdg", exist: all[1:], want: all[1]},
		{name: "then the machine's", exist: all[2:], want: all[2]},
		{name: "none"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{}
			for _, path := range test.exist {
				files[path] = ""
			}
			env := machine(map[string]string{"XDG_CONFIG_HOME": test.xdg}, files)
			if got := Find(test.explicit, env); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFindDoesNotPassByAFileThatCannotBeRead(t *testing.T) {
	env := machine(nil, map[string]string{"/etc/mews/mews.yaml": ""})
	read := env.ReadFile
	env.ReadFile = func(path string) ([]byte, error) {
		if path == "/home/alice/.config/mews/mews.yaml" {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return read(path)
	}
	path := Find("", env)
	if _, err := Load(path, env); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("found %q, whose error is %v, want a refused permission", path, err)
	}
}

func TestLocal(t *testing.T) {
	cfg, err := Local(machine(map[string]string{"OPENAI_API_KEY": "for other programs"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Log.Format = "text"
	want.State = "/home/alice/.local/state/mews"
	want.Users = []User{{Name: "alice", Role: "admin", Account: "alice", Home: want.State + "/homes/alice"}}
	if diff := same(want, cfg); diff != "" {
		t.Error(diff)
	}
}

func TestLocalWithAnEndpoint(t *testing.T) {
	cfg, err := Local(machine(map[string]string{
		"OPENAI_BASE_URL": "http://127.0.0.1:11434/v1", "OPENAI_MODEL": "qwen3:8b", "OPENAI_API_KEY": "k",
		"XDG_STATE_HOME": "/state",
	}, nil))
	if err != nil {
		t.Fatal(err)
	}
	p := cfg.Models.Providers["openai"]
	if cfg.Models.Default != "openai/qwen3:8b" || p.Kind != "openai" ||
		p.BaseURL != "http://127.0.0.1:11434/v1" || p.APIKey.Reveal() != "k" {
		t.Errorf("got default %q, provider %+v", cfg.Models.Default, p)
	}
	if cfg.State != "/state/mews" {
		t.Errorf("got state %q", cfg.State)
	}
}

func TestLocalProblems(t *testing.T) {
	const intro = "without a configuration file: "
	for _, test := range []struct {
		name      string
		variables map[string]string
		home      string
		want      string
	}{
		{
			"no model", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1/v1"}, "/home/alice",
			intro + "OPENAI_MODEL: got nothing, want the endpoint's name of the model, because OPENAI_BASE_URL is set",
		},
		{
			"no URL", map[string]string{"OPENAI_BASE_URL": "localhost:11434", "OPENAI_MODEL": "m"}, "/home/alice",
			intro + `OPENAI_BASE_URL: got "localhost:11434", want ` + wantURL,
		},
		{
			"a password in the URL",
			map[string]string{"OPENAI_BASE_URL": "http://u:hunter2@h/v1", "OPENAI_MODEL": "m"},
			"/home/alice", intro + `OPENAI_BASE_URL: got ***, want ` + wantURL,
		},
		{
			"a key of two lines",
			map[string]string{"OPENAI_BASE_URL": "http://h/v1", "OPENAI_MODEL": "m", "OPENAI_API_KEY": "hunter2\n"},
			"/home/alice", intro + `OPENAI_API_KEY: got ***, want one line, without control characters`,
		},
		{
			"no home", nil, "",
			intro + "state: got nothing, want an absolute path, or none and HOME or XDG_STATE_HOME set",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := machine(test.variables, nil)
			env.Home = test.home
			_, err := Local(env)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestUserName(t *testing.T) {
	for login, want := range map[string]string{
		"alice": "alice", "Alice": "alice", `CORP\Al.Smith`: "corp-al-smith", "_www": "www", "": "me", "--": "me",
		"Ünal":                         "nal",
		strings.Repeat("a", 31) + "-b": strings.Repeat("a", 31), "uid-1000": "uid-1000",
	} {
		if got := userName(login); got != want || !userNames.MatchString(got) {
			t.Errorf("%q became %q, want %q", login, got, want)
		}
	}
}

func TestOS(t *testing.T) {
	env, err := OS()
	if err != nil {
		t.Fatal(err)
	}
	if env.Login == "" || !filepath.IsAbs(env.Cwd) {
		t.Errorf("got %+v", env)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxFile+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.ReadFile(large); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v, want a refusal of a large file", err)
	}
	if err := os.Truncate(large, maxFile); err != nil {
		t.Fatal(err)
	}
	if text, err := env.ReadFile(large); err != nil || len(text) != maxFile {
		t.Errorf("got %d bytes, error %v", len(text), err)
	}
}
