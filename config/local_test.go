package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFindFile_ReturnsFirstExisting(t *testing.T) {
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
			env := testEnv(map[string]string{"XDG_CONFIG_HOME": test.xdg}, files)
			if got := FindConfigFile(test.explicit, env); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestFindFile_UnreadableFile_IsFound(t *testing.T) {
	env := testEnv(nil, map[string]string{"/etc/mews/mews.yaml": ""})
	read := env.ReadFile
	env.ReadFile = func(path string) ([]byte, error) {
		if path == "/home/alice/.config/mews/mews.yaml" {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
		}
		return read(path)
	}
	path := FindConfigFile("", env)
	if _, err := Load(path, env); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("found %q, whose error is %v, want a refused permission", path, err)
	}
}

func TestLocalConfig_NoVariables_HasDefaults(t *testing.T) {
	cfg, err := LocalConfig(testEnv(map[string]string{"MODEL": "for other programs"}, nil))
	if err != nil {
		t.Fatal(err)
	}
	want := defaults()
	want.Local, want.Log.Format = true, "text"
	want.Approvals = Approvals{All: testEnv(nil, nil).Effects, Tainted: testTainted()}
	want.State = "/home/alice/.local/state/mews"
	want.Users = []User{{Name: "alice", Role: "admin", Account: "alice", Home: want.State + "/homes/alice", TOTP: TOTPOptional,
		Budget: want.Budget.Users}}
	if diff := compareConfigs(want, cfg); diff != "" {
		t.Error(diff)
	}
}

func TestLocalModel_OneVariableMissing_IsReported(t *testing.T) {
	anthropic := Provider{Kind: "anthropic", BaseURL: "https://api.anthropic.com", APIKey: NewSecret("ka")}
	openai := Provider{Kind: "openai", BaseURL: "https://api.openai.com/v1", APIKey: NewSecret("ko")}
	near := Provider{Kind: "openai", BaseURL: "http://127.0.0.1:11434/v1", APIKey: NewSecret("")}
	both := map[string]string{"ANTHROPIC_API_KEY": "ka", "OPENAI_API_KEY": "ko"}
	with := func(more map[string]string) map[string]string {
		all := maps.Clone(both)
		maps.Copy(all, more)
		return all
	}
	for _, test := range []struct {
		name      string
		variables map[string]string
		model     string
		providers map[string]Provider
		hints     []string
	}{
		{"keys alone", both, "offline", nil, []string{localAnthropic.hint, localOpenAI.hint}},
		{"one key alone", map[string]string{"OPENAI_API_KEY": "ko"}, "offline", nil, []string{localOpenAI.hint}},
		{"a model of no endpoint", map[string]string{"OPENAI_MODEL": "qwen3"}, "offline", nil, []string{hintEndpoint}},
		{"offline, because it was asked for", with(map[string]string{"MEWS_MODEL": "offline"}), "offline", nil, nil},
		{
			"Claude by its bare name", with(map[string]string{"MEWS_MODEL": "claude-sonnet-4-5"}),
			"anthropic/claude-sonnet-4-5", map[string]Provider{"anthropic": anthropic}, nil,
		},
		{
			"Claude in full", with(map[string]string{"MEWS_MODEL": "anthropic/claude-sonnet-4-5"}),
			"anthropic/claude-sonnet-4-5", map[string]Provider{"anthropic": anthropic}, nil,
		},
		{
			"another by its bare name", with(map[string]string{"MEWS_MODEL": "gpt-5-mini"}),
			"openai/gpt-5-mini", map[string]Provider{"openai": openai}, nil,
		},
		{
			"OpenAI's in full", with(map[string]string{"MEWS_MODEL": "openai/gpt-5-mini"}),
			"openai/gpt-5-mini", map[string]Provider{"openai": openai}, nil,
		},
		{
			"a proxy that has the key",
			map[string]string{"MEWS_MODEL": "claude-sonnet-4-5", "ANTHROPIC_BASE_URL": "http://proxy:8080"},
			"anthropic/claude-sonnet-4-5",
			map[string]Provider{"anthropic": {Kind: "anthropic", BaseURL: "http://proxy:8080", APIKey: NewSecret("")}}, nil,
		},
		{
			"an endpoint without OPENAI_MODEL", map[string]string{"MEWS_MODEL": "openai/qwen3", "OPENAI_BASE_URL": near.BaseURL},
			"openai/qwen3", map[string]Provider{"openai": near}, nil,
		},
		{
			"an endpoint, and the other key", map[string]string{"ANTHROPIC_API_KEY": "ka", "OPENAI_BASE_URL": near.BaseURL,
				"OPENAI_MODEL": "qwen3"},
			"openai/qwen3", map[string]Provider{"openai": near}, nil,
		},
		{
			"an endpoint, and Claude chosen", map[string]string{"ANTHROPIC_API_KEY": "ka", "OPENAI_BASE_URL": near.BaseURL,
				"OPENAI_MODEL": "qwen3", "MEWS_MODEL": "claude-sonnet-4-5"},
			"anthropic/claude-sonnet-4-5", map[string]Provider{"anthropic": anthropic, "openai": near}, nil,
		},
		{
			"an endpoint for other programs, and Claude chosen",
			map[string]string{"ANTHROPIC_API_KEY": "ka", "OPENAI_BASE_URL": "x", "MEWS_MODEL": "claude-sonnet-4-5"},
			"anthropic/claude-sonnet-4-5", map[string]Provider{"anthropic": anthropic}, nil,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := LocalConfig(testEnv(test.variables, nil))
			if err != nil {
				t.Fatal(err)
			}
			want := defaults()
			want.Models.Default, want.Models.Providers = test.model, test.providers
			if diff := compareConfigs(&Config{Models: want.Models, Hints: test.hints}, &Config{Models: cfg.Models, Hints: cfg.Hints}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLocalModel_BareName_SelectsProvider checks which provider a bare model name selects, and
// which key is missing.
func TestLocalModel_BareName_SelectsProvider(t *testing.T) {
	for spec, want := range map[string]struct{ model, key, host string }{
		"gemini-2.5-flash":       {"gemini/gemini-2.5-flash", "GEMINI_API_KEY", "generativelanguage.googleapis.com"},
		"Gemini-3-pro":           {"gemini/Gemini-3-pro", "GEMINI_API_KEY", "generativelanguage.googleapis.com"},
		"deepseek-chat":          {"deepseek/deepseek-chat", "DEEPSEEK_API_KEY", "api.deepseek.com"},
		"mistral-large-latest":   {"mistral/mistral-large-latest", "MISTRAL_API_KEY", "api.mistral.ai"},
		"codestral-latest":       {"mistral/codestral-latest", "MISTRAL_API_KEY", "api.mistral.ai"},
		"qwen3-max":              {"qwen/qwen3-max", "DASHSCOPE_API_KEY", "dashscope-intl.aliyuncs.com"},
		"kimi-k2":                {"moonshot/kimi-k2", "MOONSHOT_API_KEY", "api.moonshot.ai"},
		"grok-4":                 {"xai/grok-4", "XAI_API_KEY", "api.x.ai"},
		"glm-4.6":                {"zai/glm-4.6", "ZAI_API_KEY", "api.z.ai"},
		"groq/llama-3.3":         {"groq/llama-3.3", "GROQ_API_KEY", "api.groq.com"},
		"openrouter/qwen/qwen3":  {"openrouter/qwen/qwen3", "OPENROUTER_API_KEY", "openrouter.ai"},
		"gemini/gemini-2.5-pro":  {"gemini/gemini-2.5-pro", "GEMINI_API_KEY", "generativelanguage.googleapis.com"},
		"gpt-5":                  {"openai/gpt-5", "OPENAI_API_KEY", "api.openai.com"},
		"claude-haiku-4-5":       {"anthropic/claude-haiku-4-5", "ANTHROPIC_API_KEY", "api.anthropic.com"},
		"qwen3:8b":               {"openai/qwen3:8b", "OPENAI_API_KEY", "api.openai.com"},
		"something-new":          {"openai/something-new", "OPENAI_API_KEY", "api.openai.com"},
		"openai/gemini-2.5-pro":  {"openai/gemini-2.5-pro", "OPENAI_API_KEY", "api.openai.com"},
		"anthropic/mistral-7b":   {"anthropic/mistral-7b", "ANTHROPIC_API_KEY", "api.anthropic.com"},
		"deepseek/any-name-else": {"deepseek/any-name-else", "DEEPSEEK_API_KEY", "api.deepseek.com"},
	} {
		cfg, err := LocalConfig(testEnv(map[string]string{"MEWS_MODEL": spec, want.key: "k"}, nil))
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		name, _, _ := strings.Cut(want.model, "/")
		p := cfg.Models.Providers[name]
		if cfg.Models.Default != want.model || !strings.HasPrefix(p.BaseURL, "https://"+want.host) ||
			p.APIKey.Reveal() != "k" {
			t.Errorf("%s is %s at %q", spec, cfg.Models.Default, p.BaseURL)
		}
		if got := cfg.ProviderKeyVariable(name); got != want.key {
			t.Errorf("%s: the key of %s is in %q, want %s", spec, name, got, want.key)
		}
		_, err = LocalConfig(testEnv(map[string]string{"MEWS_MODEL": spec, "SOME_API_KEY": "k"}, nil))
		if err == nil || !strings.Contains(err.Error(),
			want.key+": got nothing, want the key, because MEWS_MODEL is ") {
			t.Errorf("%s without a key: %v", spec, err)
		}
		endpoint := map[string]string{"MEWS_MODEL": spec, "OPENAI_BASE_URL": "http://127.0.0.1:11434/v1"}
		cfg, err = LocalConfig(testEnv(endpoint, nil))
		if bare := !strings.Contains(spec, "/"); bare && (err != nil || cfg.Models.Default != "openai/"+spec) {
			t.Errorf("%s with a server of one's own: %v", spec, err)
		}
	}
}

func TestLocalConfig_OpenAIBaseURL_SetsProvider(t *testing.T) {
	cfg, err := LocalConfig(testEnv(map[string]string{
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

func TestLocalTelegram_OneVariableMissing_IsError(t *testing.T) {
	for _, test := range []struct {
		name      string
		variables map[string]string
		token     string
		id        int64
		api       string
		hint      string
	}{
		{"both", map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "42"}, token, 42, telegramURL, ""},
		{
			"a server of one's own",
			map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "42", "TELEGRAM_API_URL": "http://127.0.0.1:8081/"},
			token, 42, "http://127.0.0.1:8081", "",
		},
		{"the token alone", map[string]string{"TELEGRAM_TOKEN": token}, "", 0, telegramURL, hintID},
		{"any token alone", map[string]string{"TELEGRAM_TOKEN": "x", "TELEGRAM_API_URL": "x"}, "", 0, telegramURL, hintID},
		{"the id alone", map[string]string{"MEWS_TELEGRAM_ID": "42"}, "", 0, telegramURL, hintToken},
		{"neither", map[string]string{"TELEGRAM_API_URL": "http://127.0.0.1:8081"}, "", 0, telegramURL, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			cfg, err := LocalConfig(testEnv(test.variables, nil))
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Telegram.Token.Reveal() != test.token || cfg.Users[0].Telegram != test.id || cfg.Telegram.APIURL != test.api {
				t.Errorf("got a token of %d bytes, id %d, %s", len(cfg.Telegram.Token.Reveal()), cfg.Users[0].Telegram, cfg.Telegram.APIURL)
			}
			if got := strings.Join(cfg.Hints, "\n"); got != test.hint || strings.Contains(got, token) {
				t.Errorf("the hint is %q, want %q", got, test.hint)
			}
		})
	}
}

func TestLocalConfig_WrongVariables_AreReported(t *testing.T) {
	const intro = "without a configuration file: "
	for _, test := range []struct {
		name      string
		variables map[string]string
		home      string
		want      string
	}{
		{
			"no model", map[string]string{"OPENAI_BASE_URL": "http://127.0.0.1/v1"}, "/home/alice",
			intro + "OPENAI_MODEL: got nothing, want the name that the endpoint gives the model, " +
				"because OPENAI_BASE_URL is set",
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
			"a model without its key", map[string]string{"MEWS_MODEL": "claude-sonnet-4-5", "OPENAI_API_KEY": "hunter2"}, "/home/alice",
			intro + `ANTHROPIC_API_KEY: got nothing, want the key, because MEWS_MODEL is "claude-sonnet-4-5"`,
		},
		{
			"another model without its key", map[string]string{"MEWS_MODEL": "gpt-5", "ANTHROPIC_API_KEY": "hunter2"}, "/home/alice",
			intro + `OPENAI_API_KEY: got nothing, want the key, because MEWS_MODEL is "gpt-5"`,
		},
		{
			"a provider that nobody knows", map[string]string{"MEWS_MODEL": "ollama/qwen3"}, "/home/alice",
			intro + `MEWS_MODEL: got "ollama/qwen3", want ` + wantLocalModel,
		},
		{
			"a provider and no model", map[string]string{"MEWS_MODEL": "anthropic", "ANTHROPIC_API_KEY": "hunter2"}, "/home/alice",
			intro + `MEWS_MODEL: got "anthropic", want ` + wantLocalModel,
		},
		{
			"a model of two lines", map[string]string{"MEWS_MODEL": "a\nb", "OPENAI_API_KEY": "hunter2"}, "/home/alice",
			intro + `MEWS_MODEL: got "a\nb", want ` + wantLocalModel,
		},
		{
			"a key of Anthropic's of two lines", map[string]string{"MEWS_MODEL": "claude-x", "ANTHROPIC_API_KEY": "hunter2\n"},
			"/home/alice", intro + `ANTHROPIC_API_KEY: got ***, want one line, without control characters`,
		},
		{
			"a proxy with a password", map[string]string{"MEWS_MODEL": "claude-x", "ANTHROPIC_BASE_URL": "http://u:hunter2@h"},
			"/home/alice", intro + `ANTHROPIC_BASE_URL: got ***, want ` + wantAnthropicURL,
		},
		{
			"no key where one is wanted",
			map[string]string{"MEWS_MODEL": "claude-x", "ANTHROPIC_BASE_URL": "https://API.anthropic.com/v1"}, "/home/alice",
			intro + "models.providers.anthropic.api_key: got nothing, want the key, because https://api.anthropic.com " +
				"answers nobody without one",
		},
		{
			"an id that is a name", map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "@alice"}, "/home/alice",
			intro + `MEWS_TELEGRAM_ID: got "@alice", want ` + wantTelegram,
		},
		{
			"a group's id, and no token", map[string]string{"MEWS_TELEGRAM_ID": "-100123"}, "/home/alice",
			intro + `MEWS_TELEGRAM_ID: got "-100123", want ` + wantTelegram,
		},
		{
			"no token of Telegram's", map[string]string{"TELEGRAM_TOKEN": "hunter2", "MEWS_TELEGRAM_ID": "42"}, "/home/alice",
			intro + `TELEGRAM_TOKEN: got ***, want ` + wantToken,
		},
		{
			"no Bot API", map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "42", "TELEGRAM_API_URL": "localhost:8081"},
			"/home/alice", intro + `TELEGRAM_API_URL: got "localhost:8081", want ` + wantAPI,
		},
		{
			"no home", nil, "",
			intro + "state: got nothing, want an absolute path; or leave it out, and set HOME or XDG_STATE_HOME",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			env := testEnv(test.variables, nil)
			env.Home = test.home
			_, err := LocalConfig(env)
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestUserName_FromLogin_IsValid(t *testing.T) {
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

func TestMachineEnv_HasLoginAndFolder(t *testing.T) {
	env, err := ReadMachineEnv(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if env.Login == "" || !filepath.IsAbs(env.Cwd) {
		t.Errorf("got %+v", env)
	}
	large := filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(large, make([]byte, maxConfigBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := env.ReadFile(large); !errors.Is(err, errTooLarge) {
		t.Errorf("got %v, want a refusal of a large file", err)
	}
	if err := os.Truncate(large, maxConfigBytes); err != nil {
		t.Fatal(err)
	}
	if text, err := env.ReadFile(large); err != nil || len(text) != maxConfigBytes {
		t.Errorf("got %d bytes, error %v", len(text), err)
	}
}

// A client must reach a running service whatever its own variables say.
func TestLocalConfig_Client_IgnoresVariables(t *testing.T) {
	for _, variables := range []map[string]string{
		{"MEWS_MODEL": "claude-haiku-4-5"}, {"MEWS_MODEL": "nobody/x"}, {"OPENAI_BASE_URL": "http://127.0.0.1/v1"},
		{"OPENAI_BASE_URL": "x", "OPENAI_MODEL": "m"}, {"MEWS_TELEGRAM_ID": "@ann"},
		{"MEWS_TELEGRAM_ID": "1", "TELEGRAM_TOKEN": "x"}, {"TELEGRAM_TOKEN": "x"}, {"OPENAI_API_KEY": "k"}, {},
	} {
		env := testEnv(variables, nil)
		env.Client = true
		cfg, err := LocalConfig(env)
		if err != nil || cfg.State != "/home/alice/.local/state/mews" || cfg.Hints != nil || !cfg.Local || !cfg.Client {
			t.Errorf("%v: got %+v, %v", variables, cfg, err)
		}
	}
}

// If there is a file, a hint names the set variables that only count without a file.
func TestLoad_VariablesWithoutUse_AreNamed(t *testing.T) {
	const useToken = "telegram: {token: '${TELEGRAM_TOKEN}'}\nusers: [{name: ann, role: admin, telegram: 42}]"
	for name, c := range map[string]struct {
		text      string
		variables map[string]string
		unused    string // part of the expected hint about unused variables; "" means no hint
	}{
		"none":       {"", nil, ""},
		"keys alone": {"", map[string]string{"OPENAI_API_KEY": "k", "ANTHROPIC_API_KEY": "k"}, ""},
		"an address": {"", map[string]string{"OPENAI_BASE_URL": "http://h/v1"}, ""},
		"a model": {"", map[string]string{"MEWS_MODEL": "claude-x", "ANTHROPIC_API_KEY": "k"},
			"MEWS_MODEL, ANTHROPIC_API_KEY"},
		"an endpoint": {"", map[string]string{"OPENAI_MODEL": "m", "OPENAI_BASE_URL": "http://h/v1"},
			"OPENAI_MODEL, OPENAI_BASE_URL"},
		"a wrong id": {"", map[string]string{"MEWS_TELEGRAM_ID": "@ann"}, "MEWS_TELEGRAM_ID"},
		"Telegram": {"", map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "42"},
			"TELEGRAM_TOKEN, MEWS_TELEGRAM_ID"},
		"an empty one": {"", map[string]string{"MEWS_MODEL": ""}, ""},
		"a token in use": {useToken,
			map[string]string{"TELEGRAM_TOKEN": token}, ""},
		"a token in use, and an id": {useToken,
			map[string]string{"TELEGRAM_TOKEN": token, "MEWS_TELEGRAM_ID": "42"}, "MEWS_TELEGRAM_ID"},
	} {
		cfg, err := load(t, c.text, c.variables)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := ""
		if c.unused != "" {
			want = fmt.Sprintf(hintUnused, "/etc/mews/mews.yaml", c.unused)
		}
		if got := strings.Join(cfg.Hints, "\n"); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}
