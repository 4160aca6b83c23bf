package config

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// testEnv returns an Env with only these variables and files.
func testEnv(variables, files map[string]string) Env {
	return Env{
		Getenv: func(name string) string { return variables[name] },
		ReadFile: func(path string) ([]byte, error) {
			text, ok := files[path]
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
			}
			return []byte(text), nil
		},
		Home:    "/home/alice",
		Login:   "alice",
		Cwd:     "/srv/dir",
		Effects: testEffects(),
		Tainted: testTainted(),
	}
}

// testEffects returns the default rules of testEnv.
func testEffects() EffectRules {
	return EffectRules{"send_file": "allow", "settings": "allow", "invite": "allow", "remember": "ask",
		"forget": "ask", "post_elsewhere": "ask", "web_search": "allow", "web_known": "allow", "web_new": "allow", "send_file_in_group": "allow",
		"answer_in_group": "allow", "jobs": "allow", "service_read": "allow", "service_write": "ask"}
}

// testTainted returns the rules of tainted turns of testEnv.
func testTainted() EffectRules {
	return EffectRules{"send_file_in_group": "ask", "answer_in_group": "ask", "settings": "ask", "jobs": "ask",
		"web_new": "ask", "service_write": "ask"}
}

// load loads a text as if it were the file /etc/mews/mews.yaml.
func load(t *testing.T, text string, variables map[string]string) (*Config, error) {
	t.Helper()
	return Load("/etc/mews/mews.yaml", testEnv(variables, map[string]string{"/etc/mews/mews.yaml": text}))
}

// A token and a secret in Telegram's format.
const (
	token  = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"
	secret = "0123456789abcdef-_0123456789ABCDEF"
)

// appKey returns a private key in the format that GitHub gives to an app.
var appKey = sync.OnceValue(func() string {
	key, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}))
})

// compareConfigs compares configurations and their secrets, but not their sources.
func compareConfigs(want, got *Config) string {
	unread := *got
	unread.File, got = want.File, &unread
	return cmp.Diff(want, got, cmp.Comparer(func(a, b Secret) bool { return a.Reveal() == b.Reveal() }))
}

func TestLoad_EmptyFile_HasDefaults(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "comment": "# nothing\n", "null": "~\n", "no keys": "{}\n"} {
		t.Run(name, func(t *testing.T) {
			got, err := load(t, text, nil)
			if err != nil {
				t.Fatal(err)
			}
			want := &Config{
				State:    "/home/alice/.local/state/mews",
				Log:      Log{Level: "info", Format: "json"},
				Telegram: Telegram{APIURL: "https://api.telegram.org", Rate: SendRate{Chat: 1, Group: 20, All: 30}},
				Models:   Models{Default: "offline", Thinking: "off", Cache: "5m", Silence: time.Minute},
				Worker: Worker{Idle: 30 * time.Minute, Sandbox: "auto", SandboxMin: "namespaces", Account: "mews",
					Memory: GiB, PIDs: 256, Disk: 10 * GiB, History: 2 * GiB},
				Chat: Chat{Stream: "edit", Busy: "steer", Reactions: "waiting", Claims: "check"},
				Speech: Speech{In: SpeechRecognition{Engine: "whisper", Program: "whisper-cli", Language: "auto",
					Longest: time.Hour, Echo: "true"}, Out: SpeechSynthesis{Engine: "auto"}},
				Limits:    Limits{Steps: 50, Turn: 15 * time.Minute, History: 32000, Output: 16 << 10, Turns: 8, ModelCalls: 8, Speech: 1},
				Access:    Access{Session: 30 * time.Minute, SessionMax: 12 * time.Hour, Rate: ReceiveRate{Burst: 20, Second: 1}},
				Approvals: Approvals{All: testEffects(), Tainted: testTainted()},
				Users: []User{{
					Name: "alice", Role: "admin", Account: "alice", Home: "/home/alice/.local/state/mews/homes/alice",
					TOTP: TOTPOptional,
				}},
			}
			rootKey(want).setDefaults() // sets the defaults of the keys that are not named here
			if diff := compareConfigs(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const whole = `
state: /var/lib/mews/
webhooks: {listen: "[::1]:8322"}
log: {level: debug, format: text, payloads: true}
telegram:
  token: "${BOT}"
  api_url: http://bot-api:8081/
  files: /srv//bot-api/
  webhook: {url: "https://bot.example.org:99/webhook/telegram", secret: "${SECRET}"}
  rate: {chat: 2, group: 30, all: 1000}
  groups: [-1001234567890, -42]
models:
  default: local/org/qwen3:8b
  small: qwen3:0.6b
  fallback: [claude/claude-haiku-4-5, offline]
  allowed: [local/**, "*/*haiku*", offline]
  thinking: off
  cache: 1h
  silence: 5m
  prices:
    cloud/gpt-5.4: {input: 2.50, output: "${STEPS}", cache_read: 0.25}
    qwen3:0.6b: {input: 0, output: 0, cache_write: 10000}
    cloud/whisper-1: {minute: 0.006}
  providers:
    local: {kind: openai, base_url: "http://127.0.0.1:${PORT}/v1", server: vllm}
    cloud: {kind: openai, api_key: "${KEY}"}
    claude: {kind: anthropic, api_key: "${KEY}"}
    proxy: {kind: anthropic, base_url: http://proxy:8080}
worker: {idle: 90s, sandbox: accounts, sandbox_min: landlock, account: hawks, uids: 70000-79999, memory: 2GiB, pids: 512, disk: 5GiB,
  history: 4GiB, history_dir: /srv//histories/,  read_only: [/opt/models/]}
chat: {stream: final, busy: queue}
speech:
  in: {engine: command, program: /opt/models/w, model: /usr/share/m.bin, language: de, threads: 2, longest: 5m, echo: false, command: [hear, "{wav}"]}
  out: {engine: endpoint, program: piper, command: [say, "{wav}"], model: cloud/tts, voice: ann, voices: {ann: alloy, ben: echo}}
web:
  wikipedia: de
  open_meteo: http://10.0.0.5:8080
  search:
    - {name: home, kind: searxng, url: "https://10.0.0.5:8443", ca_file: /ca.pem}
    - {name: brave, kind: brave, key: "${KEY}", price: 0.005}
    - {name: other, kind: generic, url: "http://h/s?q={query}", header: X-Key, paths: {results: data.items, text: snippet}}
uploads: {keep: 30}
history: {exclude: [build/**]}
limits: {steps: "${STEPS}", turn: 1h, history: 1000, output: 1KiB, turns: 1, model_calls: 256, speech: 2}
access: {session: 90s, session_max: 90s, rate: {burst: 1, second: 0.5}, key_file: /keys/seal}
budget: {month: "${STEPS}", users: {turn: 0.000001, day: 0.10, month: 1000000, extend: 0, jobs: {run: 0.25, month: 0}}}
approvals: {all: {send_file: ask}, admin: {invite: step_up}, user: {settings: deny}}
files: {include: ["**"], exclude: ["$${x}/*"]}
github:
  webhook_secret: "${SECRET}"
  app: {id: 99, private_key_file: /keys/app.pem}
  api_url: http://127.0.0.1:8083/api/v3/
  name: hawk
  poll: 2m
  gather: 1m
  review: {settle: 10s, budget: 2, person: 0.50, timeout: 1m, heads: 1, inline: 20, model: claude/claude-haiku-4-5,
	small: true}
  triage: {settle: 1s, budget: 0, model: local/qwen3}
  repos:
    acme/widget: {user: alice, review: true, triage: true, notify: [bob, -100123, -100123/45], post: check, day: 0, labels: create, project: Inbox, forks: allow}
    acme/Gadget.js: {user: bob, notify: -100123}
hooks:
  ci: {user: bob, secret: "${SECRET}"}
  disk: {user: alice, chat: -100123/45, secret: "${SECRET}", sign: hmac, header: X-Signature, template: "{{.host}} is full"}
calendars:
  holidays: https://example.org/holidays.ics
  work: {url: "https://10.0.0.2:8443/w.ics", ca_file: /etc/ca.pem, users: [alice]}
services:
  plain: {base_url: "http://10.0.0.1:8123/api"}
  stock: {base_url: "https://stock.example.org", methods: {GET: read, POST: write}, reads: [POST /find], headers: {Accept: a}, params: {v: "2"},
     auth: {type: header, name: X-Key, secret: "${SECRET}", optional: true}, description: The stock, notes: Ask, allow_path_suffix: true,
     max_response: 1MiB, timeout: 1m, price: 0.01, trusted: true, idempotency_header: Idempotency-Key, ca_file: /ca.pem, users: [bob]}
users:
  - {name: alice, role: admin, account: al, timezone: Europe/Madrid, telegram: 4503599627370495, github: Alice-B, model: cloud/gpt,
     workspaces: [/srv/code], history: 365, totp: true, budget: {day: 0, extend: 2.5, jobs: {run: 0, day: 1}}, models_allowed: [cloud/*], approvals: {send_file: allow}}
  - {name: bob, totp: off, models_allowed: [], home: /srv//bob/, model: qwen3, files: {include: [], append_only: ["journal/**"]}}
`

var wholeNeeds = map[string]string{"PORT": "99", "KEY": "${PORT}", "STEPS": "7", "BOT": token, "SECRET": secret}

func TestLoad_WholeFile_SetsEveryKey(t *testing.T) {
	askedFiles := testEffects()
	askedFiles["send_file"] = "ask"
	got, err := Load("/etc/mews/mews.yaml", testEnv(wholeNeeds, map[string]string{
		"/etc/mews/mews.yaml": whole, "/keys/seal": strings.Repeat("5a", 32) + "\n", "/keys/app.pem": appKey(),
	}))
	if err != nil {
		t.Fatal(err)
	}
	want := &Config{
		State:    "/var/lib/mews",
		Webhooks: WebhookServer{Listen: "[::1]:8322"},
		Log:      Log{Level: "debug", Format: "text", Payloads: true},
		Telegram: Telegram{
			Token: NewSecret(token), APIURL: "http://bot-api:8081", Files: "/srv/bot-api", Rate: SendRate{Chat: 2, Group: 30, All: 1000},
			Webhook: TelegramWebhook{URL: "https://bot.example.org:99/webhook/telegram", Secret: NewSecret(secret)},
			Groups:  []int64{-1001234567890, -42},
		},
		Models: Models{
			Default: "local/org/qwen3:8b", Small: "qwen3:0.6b", Fallback: []string{"claude/claude-haiku-4-5", "offline"},
			Allowed:  []string{"local/**", "*/*haiku*", "offline"},
			Thinking: "off", Cache: "1h", Silence: 5 * time.Minute,
			Prices: map[string]Price{
				"cloud/gpt-5.4":   {Input: 2.5, Output: 7, CacheRead: 0.25},
				"qwen3:0.6b":      {CacheWrite: 10000},
				"cloud/whisper-1": {Minute: 0.006},
			},
			Providers: map[string]Provider{
				"local":  {Kind: "openai", BaseURL: "http://127.0.0.1:99/v1", Server: "vllm"},
				"cloud":  {Kind: "openai", BaseURL: "https://api.openai.com/v1", APIKey: NewSecret("${PORT}")},
				"claude": {Kind: "anthropic", BaseURL: "https://api.anthropic.com", APIKey: NewSecret("${PORT}")},
				"proxy":  {Kind: "anthropic", BaseURL: "http://proxy:8080"},
			},
		},
		Worker: Worker{Idle: 90 * time.Second, Sandbox: "accounts", SandboxMin: "landlock", Account: "hawks", UIDs: "70000-79999", Memory: 2 * GiB,
			PIDs: 512, Disk: 5 * GiB, History: 4 * GiB, HistoryDir: "/srv/histories",
			ReadOnly: []string{"/opt/models"}},
		Chat: Chat{Stream: "final", Busy: "queue", Reactions: "waiting", Claims: "check"},
		Speech: Speech{In: SpeechRecognition{Engine: "command", Program: "/opt/models/w", Model: "/usr/share/m.bin",
			Language: "de", Threads: 2,
			Longest: 5 * time.Minute, Echo: "false", Command: []string{"hear", "{wav}"}},
			Out: SpeechSynthesis{Engine: "endpoint", Program: "piper", Command: []string{"say", "{wav}"},
				Model: "cloud/tts",
				Voice: "ann", Voices: map[string]string{"ann": "alloy", "ben": "echo"}}},
		Web: Web{Wikipedia: "de", OpenMeteo: "http://10.0.0.5:8080", Search: []SearchBackend{
			{Name: "home", Kind: "searxng", URL: "https://10.0.0.5:8443", CAFile: "/ca.pem"},
			{Name: "brave", Kind: "brave", URL: "https://api.search.brave.com", Key: NewSecret("${PORT}"),
				Price: Dollars{5000, true}},
			{Name: "other", Kind: "generic", URL: "http://h/s?q={query}", Header: "X-Key",
				Paths: SearchPaths{Results: "data.items", Title: "title", URL: "url", Text: "snippet"}},
		}},
		Uploads:     Uploads{Keep: 30},
		History:     FileHistory{Exclude: []string{"build/**"}},
		Limits:      Limits{Steps: 7, Turn: time.Hour, History: 1000, Output: KiB, Turns: 1, ModelCalls: 256, Speech: 2},
		SecretFiles: []string{"/keys/seal", "/keys/app.pem", "/etc/mews/mews.yaml"},
		SecretVariables: map[string]string{
			"github.webhook_secret": "SECRET", "hooks.ci.secret": "SECRET", "hooks.disk.secret": "SECRET",
			"services.stock.auth.secret":      "SECRET",
			"models.providers.claude.api_key": "KEY", "models.providers.cloud.api_key": "KEY", "telegram.token": "BOT",
			"telegram.webhook.secret": "SECRET", "web.search[1].key": "KEY",
		},
		GitHub: GitHub{
			WebhookSecret: NewSecret(secret), App: GitHubApp{ID: 99, PrivateKeyFile: "/keys/app.pem", PrivateKey: NewSecret(appKey())},
			APIURL: "http://127.0.0.1:8083/api/v3", Name: "hawk", Poll: 2 * time.Minute, Gather: time.Minute,
			Review: GitHubReview{Settle: 10 * time.Second, Budget: Dollars{2_000_000, true}, Person: Dollars{500_000,
				true}, Timeout: time.Minute, Heads: 1, Inline: 20, Model: "claude/claude-haiku-4-5", Small: true},
			Triage: GitHubTriage{Settle: time.Second, Budget: Dollars{0, true}, Model: "local/qwen3"},
			Repos: map[string]GitHubRepo{
				"acme/widget": {User: "alice", Review: true, Triage: true, Notify: []Recipient{"bob", "-100123", "-100123/45"}, Post: "check",
					Day: Dollars{0, true}, Labels: "create", Project: "Inbox", Forks: "allow"},
				"acme/Gadget.js": {User: "bob", Notify: []Recipient{"-100123"}, Post: "review", Day: Dollars{5_000_000, true}, Labels: "existing", Forks: "ask"},
			},
		},
		Hooks: map[string]Hook{
			"ci":   {User: "bob", Secret: NewSecret(secret), Sign: "bearer"},
			"disk": {User: "alice", Chat: "-100123/45", Secret: NewSecret(secret), Sign: "hmac", Header: "X-Signature", Template: "{{.host}} is full"},
		},
		Calendars: map[string]Calendar{"holidays": {URL: NewSecret("https://example.org/holidays.ics")},
			"work": {URL: NewSecret("https://10.0.0.2:8443/w.ics"), CAFile: "/etc/ca.pem", Users: []string{"alice"}}},
		Services: map[string]Service{
			"plain": {BaseURL: "http://10.0.0.1:8123/api", Auth: ServiceAuth{Type: "none"}, MaxResponse: 10 * MiB,
				Timeout: 30 * time.Second},
			"stock": {BaseURL: "https://stock.example.org", Methods: map[string]string{"GET": "read", "POST": "write"},
				Reads:   []string{"POST /find"},
				Auth:    ServiceAuth{Type: "header", Name: "X-Key", Secret: NewSecret(secret), Optional: true},
				Headers: map[string]string{"Accept": "a"}, Params: map[string]string{"v": "2"},
				Description: "The stock", Notes: "Ask", AllowPathSuffix: true, MaxResponse: MiB, Timeout: time.Minute,
				Price: Dollars{10_000, true}, Trusted: true, IdempotencyHeader: "Idempotency-Key",
				CAFile: "/ca.pem", Users: []string{"bob"}},
		},
		Access: Access{Session: 90 * time.Second, SessionMax: 90 * time.Second, Rate: ReceiveRate{Burst: 1, Second: 0.5},
			KeyFile: "/keys/seal", Key: NewSecret(strings.Repeat("Z", 32))},
		Budget: Budget{Month: Dollars{7_000_000, true},
			Users: SpendLimits{Dollars{1, true}, Dollars{100_000, true}, Dollars{1_000_000_000_000, true}, Dollars{0, true},
				JobBudget{Dollars{250_000, true}, Dollars{500_000, true}, Dollars{0, true}}}},
		Approvals: Approvals{All: askedFiles, Admin: EffectRules{"invite": "step_up"}, User: EffectRules{"settings": "deny"}, Tainted: testTainted()},
		Files:     FileRules{Include: []string{"**"}, Exclude: []string{"${x}/*"}},
		Users: []User{
			{
				Name: "alice", Role: "admin", Account: "al", Home: "/var/lib/mews/homes/alice", Timezone: "Europe/Madrid",
				Telegram: 4503599627370495, GitHub: "Alice-B", Model: "cloud/gpt", Workspaces: []string{"/srv/code"}, History: 365,
				Files: FileRules{Include: []string{"**"}, Exclude: []string{"${x}/*"}},
				TOTP:  TOTPRequired, ModelsAllowed: []string{"cloud/*"}, Approvals: EffectRules{"send_file": "allow"},
				Budget: SpendLimits{Dollars{1, true}, Dollars{0, true}, Dollars{1_000_000_000_000, true}, Dollars{2_500_000, true},
					JobBudget{Dollars{0, true}, Dollars{1_000_000, true}, Dollars{0, true}}},
			},
			{
				Name: "bob", Role: "user", Home: "/srv/bob", Model: "qwen3",
				Files: FileRules{Include: []string{}, Exclude: []string{"${x}/*"}, AppendOnly: []string{"journal/**"}},
				TOTP:  TOTPOff, ModelsAllowed: []string{},
				Budget: SpendLimits{Dollars{1, true}, Dollars{100_000, true}, Dollars{1_000_000_000_000, true}, Dollars{0, true},
					JobBudget{Dollars{250_000, true}, Dollars{500_000, true}, Dollars{0, true}}},
			},
		},
	}
	rootKey(want).setDefaults() // sets the defaults of the keys that the file does not have
	if diff := compareConfigs(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCacheDuration_ParsesEachValue(t *testing.T) {
	for word, want := range map[string]time.Duration{"1h": time.Hour, "5m": 5 * time.Minute, "none": 0} {
		cfg, err := load(t, "models: {cache: "+word+"}\n", nil)
		if err != nil || cfg.Models.CacheDuration() != want {
			t.Errorf("%s is %v, error %v", word, cfg, err)
		}
	}
}

// A bare default model belongs to the only provider. The catalogue of models has the same rule.
func TestBareDefaultModel_UsesOnlyProvider(t *testing.T) {
	const one = "models: {default: qwen3, small: tiny, fallback: [local/qwen4], providers: {local: {kind: openai}"
	if _, err := load(t, one+"}}\n", nil); err != nil {
		t.Error(err)
	}
	_, err := load(t, one+", other: {kind: openai}}}\n", nil)
	const want = `/etc/mews/mews.yaml:1: models.default: got "qwen3", want offline, local/MODEL or other/MODEL: ` +
		"a provider of models.providers and its name of the model"
	// with a wrong default model, the bare name of the small model can't be checked
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// TestLoad_WrongFiles_ReportProblems loads each testdata/*.yaml. It compares the whole error with
// the .txt file of the same name.
func TestLoad_WrongFiles_ReportProblems(t *testing.T) {
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
			env := testEnv(map[string]string{"TOKEN": "hunter2", "BOT": token, "SECRET": secret}, map[string]string{
				"/etc/mews/mews.yaml": string(text), "/etc/mews/empty": "\n", "/etc/mews/two": "a\nb\n",
				"/etc/mews/right": "hunter2\n", "/srv/keys/openai": "hunter2", "/srv/keys/bot": token,
				"/srv/keys/seal": strings.Repeat("5a", 32) + "\n", "/srv/keys/app.pem": appKey(),
			})
			_, err = Load("/etc/mews/mews.yaml", env)
			var list *ErrorList
			if !errors.As(err, &list) {
				t.Fatalf("got %v, want an ErrorList", err)
			}
			golden(t, strings.TrimSuffix(name, ".yaml")+".txt", err.Error()+"\n")
			for _, hush := range []string{"hunter2", token, secret} {
				if strings.Contains(err.Error(), hush) {
					t.Errorf("the error shows %s", hush)
				}
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

func TestLoad_MissingFile_IsError(t *testing.T) {
	_, err := Load("/nowhere.yaml", testEnv(nil, nil))
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "/nowhere.yaml") {
		t.Errorf("got %v, want one that says that /nowhere.yaml is not there", err)
	}
}

func TestErrorList_ManyProblems_AreCut(t *testing.T) {
	_, err := load(t, strings.Repeat("x: 1\n", 200), nil)
	lines := strings.Split(err.Error(), "\n")
	if last := lines[len(lines)-1]; len(lines) != maxListedProblems+1 || !strings.HasSuffix(last, "and 150 more") {
		t.Errorf("got %d lines, the last one %q", len(lines), last)
	}
}

func TestSecretFile_RelativeToConfig_IsFound(t *testing.T) {
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
			cfg, err := Load("/etc/mews/mews.yaml", testEnv(map[string]string{"CREDENTIALS_DIRECTORY": test.credentials}, files))
			if err != nil {
				t.Fatal(err)
			}
			if got := cfg.Models.Providers["p"].APIKey.Reveal(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A client has no environment of the service, and may not read its secret files. All other checks
// are made.
func TestLoad_ClientWithoutSecrets_IsAccepted(t *testing.T) {
	const text = `
state: /var/lib/mews
access: {key_file: seal.key}
telegram: {token: "${TELEGRAM_TOKEN}"}
models:
  default: p/m
  providers: {p: {kind: openai, base_url: "https://example.org/v1", api_key_file: openai.key}, q: {kind: anthropic, api_key: "${KEY}"}}
users: [{name: alice, telegram: 42}]
`
	env := testEnv(nil, map[string]string{"/etc/mews/mews.yaml": text})
	if _, err := Load("/etc/mews/mews.yaml", env); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("the service misses of four secrets: %v", err)
	}
	env.Client = true
	cfg, err := Load("/etc/mews/mews.yaml", env)
	if err != nil || cfg.State != "/var/lib/mews" {
		t.Fatalf("%+v, %v", cfg, err)
	}
	env = testEnv(nil, map[string]string{"/etc/mews/mews.yaml": text + "stat: /tmp\n"})
	env.Client = true
	if _, err := Load("/etc/mews/mews.yaml", env); err == nil || !strings.Contains(err.Error(), "stat: got an unknown key") {
		t.Errorf("what is no secret: %v", err)
	}
}

func TestTelegram_SecretFiles_AreRead(t *testing.T) {
	cfg, err := Load("/etc/mews/mews.yaml", testEnv(map[string]string{"CREDENTIALS_DIRECTORY": "/run/credentials"}, map[string]string{
		"/etc/mews/mews.yaml": `
webhooks: {listen: "localhost:8322"}
telegram:
  token_file: telegram.token
  api_url: http://127.0.0.1:8081
  webhook: {url: "http://localhost:8322/webhook/telegram", secret_file: telegram.secret}
users: [{name: alice}, {name: bob, telegram: 42}]
`,
		"/run/credentials/telegram.token": token + "\n", "/etc/mews/telegram.secret": secret + "\r\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	if got := cfg.Telegram; got.Token.Reveal() != token || got.Webhook.Secret.Reveal() != secret || got.TokenFile != "telegram.token" {
		t.Errorf("got %+v", got)
	}
}

// FuzzLoad: no text causes a panic, and every accepted configuration is complete and valid.
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
		env := testEnv(wholeNeeds, map[string]string{"/m.yaml": text, "/keys/seal": strings.Repeat("5a", 32), "/keys/app.pem": appKey()})
		cfg, err := Load("/m.yaml", env)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "/m.yaml:") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		again := *cfg
		complete(&again, env)
		if w := cfg.Telegram.Webhook; w.URL != "" && len(w.Secret.Reveal()) < 16 {
			t.Errorf("a webhook without a secret was accepted: %s", w.URL)
		}
		if g := cfg.GitHub; cfg.Webhooks.Listen != "" && len(g.Repos) > 0 && len(g.WebhookSecret.Reveal()) < 16 {
			t.Error("repositories were accepted without a secret")
		}
		if diff := compareConfigs(cfg, &again); diff != "" {
			t.Errorf("it was not complete: %s", diff)
		}
		c := &checker{cfg: cfg, effects: env.Effects}
		if c.check(); len(c.problems) > 0 {
			t.Errorf("accepted, but %v", c.problems)
		}
	})
}
