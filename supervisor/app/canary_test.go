package app_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/telegram/telegramtest"
)

// canaries are the secrets of a gatedService, by name. The test searches for each secret, as it is
// and in the usual encodings.
type canaries map[string]string

// encodings returns the forms in which a secret may be written.
func encodings(secret string) [][]byte {
	all := []string{secret, strings.ToLower(secret), url.QueryEscape(secret), hex.EncodeToString([]byte(secret)),
		strings.ReplaceAll(secret, "-", "")}
	for shift := range 3 { // the base64 of a secret depends on its offset
		text := base64.RawStdEncoding.EncodeToString(append(make([]byte, shift), secret...))
		all = append(all, text[4*min(shift, 1):len(text)-4])
	}
	if raw, err := hex.DecodeString(secret); err == nil {
		all = append(all, string(raw), base64.StdEncoding.EncodeToString(raw))
	}
	var found [][]byte
	for _, f := range all {
		found = append(found, []byte(f))
	}
	return found
}

// found lists the secrets that a text contains.
func (c canaries) found(text []byte) (found []string) {
	for _, what := range slices.Sorted(maps.Keys(c)) {
		secret := c[what]
		if strings.HasPrefix(what, "typed") { // six digits may be a part of another number
			if regexp.MustCompile(`(^|[^0-9A-Za-z.])` + regexp.QuoteMeta(secret) + `($|[^0-9A-Za-z])`).Match(text) {
				found = append(found, what)
			}
			continue
		}
		if slices.ContainsFunc(encodings(secret), func(f []byte) bool { return bytes.Contains(text, f) }) {
			found = append(found, what)
		}
	}
	return found
}

// foundInFiles lists the secrets in the files of a folder, by file. It searches for typed codes
// only in text files.
func (c canaries) foundInFiles(t *testing.T, dir string) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		look := c
		// gatedService.databaseValues searches the database instead
		if strings.HasPrefix(d.Name(), "mews.db") {
			look = maps.Clone(c)
			maps.DeleteFunc(look, func(what, _ string) bool { return strings.HasPrefix(what, "typed") })
		}
		if found := look.found(text); found != nil {
			all[path] = found
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// canaryService is a gatedService with a different secret in every place that can have a secret.
type canaryService struct {
	*gatedService
	canaries
	output bytes.Buffer // output of all commands of `mews`
	hook   string
}

const canaryConfig = "limits: {steps: 5}\nbudget: {users: {day: 100}}\nmodels:\n  default: test/test\n  providers:\n" +
	"    test: {kind: openai, base_url: MODEL_URL, api_key: \"${MEWS_CANARY_KEY}\"}\n" +
	"    claude: {kind: anthropic, base_url: ANTHROPIC_URL, api_key: CANARY_WRONG}\n" +
	"    down: {kind: openai, base_url: \"http://127.0.0.1:1/v1\", api_key: CANARY_DOWN}\n" +
	"  prices: {test/test: {input: 1, output: 1}, claude/test: {input: 1, output: 1}, down/test: {input: 1, output: 1}}\n"

func newCanaryService(t *testing.T) *canaryService {
	a := &canaryService{canaries: canaries{"webhook secret": rand.Text()}}
	for _, key := range []string{"the key", "a wrong key", "the key of who is down"} {
		a.canaries[key] = "sk-" + rand.Text() + rand.Text()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	a.hook = listener.Addr().String()
	listener.Close()
	config := strings.NewReplacer("CANARY_WRONG", a.canaries["a wrong key"], "CANARY_DOWN",
		a.canaries["the key of who is down"],
		"ANTHROPIC_URL", "MODEL_ROOT").Replace(canaryConfig)
	a.gatedService = newGatedService(t, modeltest.EchoScript, config, "alice, role: admin, totp: off",
		"bob, totp: required")
	a.Bin = apptest.LinkProgramsInTestFolder(t, apptest.BuildPrograms(t))
	a.model.Key = a.canaries["the key"]
	a.Env = []string{"MEWS_CANARY_KEY=" + a.canaries["the key"]}
	a.canaries["token"] = strings.TrimPrefix(a.bot.Token(), "42:")
	a.canaries["sealing key"] = a.key
	for i, code := range a.enrol("bob") {
		a.canaries[fmt.Sprint("recovery code ", i)] = code
	}
	a.canaries["bob's secret"] = a.keys["bob"]
	return a
}

// run runs a command of `mews` while the service runs, and returns the output.
func (a *canaryService) run(verb ...string) string {
	cmd := exec.Command(filepath.Join(a.Bin, "mews"), append(verb, "--config", a.Config)...)
	cmd.Env = append(os.Environ(), a.Env...)
	out, err := cmd.CombinedOutput()
	return fmt.Sprintf("%s\n%v\n", out, err)
}

// runCleanly runs a command of `mews` whose output must contain no secret.
func (a *canaryService) runCleanly(verb ...string) {
	a.output.WriteString(strings.Join(verb, " ") + "\n" + a.run(verb...))
}

// findPattern returns the part of a text that a pattern matches.
func findPattern(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("there is no %q in %q", pattern, text)
	}
	return m[1]
}

// The test puts a value into every place for a secret, and makes everything fail that can fail.
// Then it searches for the values in files, logs, command output and the environments of processes.
// It also searches what models and Telegram got.
func TestSecrets_AreNeverWrittenToDisk(t *testing.T) {
	t.Parallel()
	a := newCanaryService(t)
	a.Start()
	a.sayAndAwait("alice", "hello", "echo: hello")
	carol := a.pairCarol(t)
	a.typeCodes()
	a.causeFailures(t)
	a.runVerbs()
	a.reloadBadConfig()
	a.checkProcesses(t)
	a.checkFiles(t)
	a.Stop()
	a.useWebhook(t)
	a.checkEverything(t, carol)
	a.checkDetection(t)
}

// pairCarol adds carol by an invite. Her second factor is shown only to her.
func (a *canaryService) pairCarol(t *testing.T) telegramtest.User {
	t.Helper()
	a.runCleanly("user", "add", "carol")
	code := findPattern(t, `/start ([A-Z2-7]{20,})`, a.run("user", "invite", "carol"))
	a.canaries["invite"] = code
	unused := findPattern(t, `/start ([A-Z2-7]{20,})`, a.run("user", "invite", "bob"))
	a.canaries["unused invite"] = unused
	carol := telegramtest.User{ID: 777, First: "carol"}
	a.bot.Say(telegramtest.PrivateChat(carol), carol, "/start "+code)
	a.bot.Say(telegramtest.PrivateChat(mallory), mallory, "/start "+code)
	shown := ""
	a.bot.WaitUntil(t, "carol to be shown her second factor", func() bool {
		for _, m := range a.bot.BotMessages(carol.ID) {
			if strings.Contains(m.Text, "Scan the picture") {
				shown = m.Text
			}
		}
		return shown != ""
	})
	a.keys["carol"] = findPattern(t, `\b([A-Z2-7]{32})\b`, shown)
	a.canaries["carol's secret"] = a.keys["carol"]
	for i, code := range regexp.MustCompile(`(?m)^[0-9A-Z]{4}(?:-[0-9A-Z]{2,4}){6}$`).FindAllString(shown, -1) {
		a.canaries[fmt.Sprint("carol's recovery code ", i)] = code
	}
	a.canaries["typed to enrol"] = a.code("carol", 0)
	a.bot.Say(telegramtest.PrivateChat(carol), carol, a.canaries["typed to enrol"])
	a.bot.WaitUntil(t, "carol's code to be taken", func() bool {
		return slices.ContainsFunc(a.bot.BotMessages(carol.ID), func(m telegramtest.Message) bool {
			return strings.HasPrefix(m.Text, "Your second factor is set up.")
		})
	})
	return carol
}

// typeCodes lets bob type right and wrong codes.
func (a *canaryService) typeCodes() {
	a.T.Helper()
	a.sayAndAwait("bob", "one", locked)
	a.canaries["typed wrong"], a.canaries["typed right"] = a.wrongCode("bob"), a.code("bob", 0)
	a.sayAndAwait("bob", a.canaries["typed wrong"], "Wrong code. ")
	a.sayAndAwait("bob", "ABCD-"+a.canaries["recovery code 0"][5:], "Wrong code. ")
	from := len(a.told("bob"))
	a.say("bob", a.canaries["typed right"])
	a.awaitTold("bob", from, unlocked, "echo: one")
	a.sayAndAwait("bob", "/lock", "This chat is locked.")
	a.sayAndAwait("bob", a.canaries["recovery code 1"], unlocked)
}

// causeFailures makes model providers and Telegram refuse requests, be away, and answer nonsense.
func (a *canaryService) causeFailures(t *testing.T) {
	t.Helper()
	for _, model := range []string{"claude/test", "down/test"} {
		a.sayAndAwait("alice", "/model "+model, "From your next message on "+model)
		a.say("alice", "hello "+model)
		a.awaitSettled("hello " + model)
	}
	a.sayAndAwait("alice", "/model default", "")
	for _, f := range []telegramtest.Fault{{Kind: telegramtest.ResetFault, Times: 1}, {Kind: telegramtest.HTMLFault,
		Times: 1},
		{Kind: telegramtest.ErrorFault, Code: http.StatusNotFound, Text: "Not Found", Times: 1}} {
		a.bot.InjectFault(f)
		a.say("alice", "through trouble")
		a.awaitSettled("through trouble")
	}
}

// awaitSettled waits until all messages are answered, and each answer is delivered or refused for
// good.
func (a *canaryService) awaitSettled(what string) {
	a.T.Helper()
	a.WaitUntilTrue(apptest.DefaultTestTimeout, "an answer to "+what, func() bool {
		return a.bot.CountPendingUpdates() == 0 &&
			a.QueryCount("SELECT count(*) FROM inbox WHERE state IN ('new', 'running')") == 0 &&
			a.QueryCount("SELECT count(*) FROM outbox WHERE outcome IS NULL") == 0
	})
}

// runVerbs runs all commands of `mews`, except those that show a secret on purpose.
func (a *canaryService) runVerbs() {
	for _, verb := range [][]string{{"status"}, {"status", "--json"}, {"user", "list"}, {"user", "list", "--json"}, {"user", "show", "carol"},
		{"totp", "status"}, {"totp", "status", "--json"}, {"audit"}, {"audit", "--json"}, {"audit", "verify"}, {"usage"}, {"usage", "--all"},
		{"check"}, {"doctor"}, {"models"}, {"reload"}, {"totp", "unlock", "bob"}, {"user", "export", "carol", "--output", filepath.Join(a.Dir, "state", "carol.tar.gz")}} {
		a.runCleanly(verb...)
	}
}

// reloadBadConfig reloads configurations with secrets in wrong places.
func (a *canaryService) reloadBadConfig() {
	good, err := os.ReadFile(a.Config)
	if err != nil {
		a.T.Fatal(err)
	}
	for _, bad := range []string{
		"telegram_token: " + a.canaries["token"],
		"telegram: {token: [" + a.canaries["token"] + "]}",
		"telegram: {token: \"" + a.canaries["token"] + " x\"}",
		"access: {key: " + a.key + "}",
		"models: {providers: {test: {kind: openai, api_key: {a: " + a.canaries["the key"] + "}}}}",
		"models: {providers: {test: " + a.canaries["the key"] + "}}",
	} {
		a.write("mews.yaml", string(good)+"\n"+bad+"\n")
		a.runCleanly("reload")
		a.runCleanly("check")
		a.write("mews.yaml", fmt.Sprintf("state: %s/state\n%s\n", a.Dir, bad))
		a.runCleanly("check")
		a.runCleanly("reload")
	}
	a.write("mews.yaml", string(good))
}

// checkProcesses searches everything that other processes of the account can see of the service's
// processes.
func (a *canaryService) checkProcesses(t *testing.T) {
	t.Helper()
	for _, program := range []string{"mews", "mews-spawner", "mews-worker"} {
		pids := a.ProcessIDs(program)
		if len(pids) == 0 {
			t.Errorf("no %s runs", program)
		}
		for _, pid := range pids {
			for _, name := range []string{"environ", "cmdline", "comm"} {
				text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
				if err != nil {
					t.Logf("%s of %s: %v", name, program, err)
				}
				got := a.found(text)
				if program == "mews" && name == "environ" { // the environment of mews has the key on purpose
					got = slices.DeleteFunc(got, func(what string) bool { return what == "the key" })
				}
				if len(got) > 0 {
					t.Errorf("%s of %s has %q", name, program, got)
				}
			}
		}
	}
}

// useWebhook receives messages by Telegram's webhook. Strangers call the webhook, too, without its
// secret.
func (a *canaryService) useWebhook(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(a.Config)
	if err != nil {
		t.Fatal(err)
	}
	a.write("mews.yaml", strings.Replace(string(text), "rate: {chat: 30, all: 1000}}", fmt.Sprintf("rate: {chat: 30, all: 1000}, "+
		"webhook: {url: \"http://%s/webhook/telegram\", secret: %s}}\nwebhooks: {listen: %q}", a.hook, a.canaries["webhook secret"], a.hook), 1))
	a.Start()
	a.sayAndAwait("alice", "by the hook", "echo: by the hook")
	for _, secret := range []string{"", "wrong", a.canaries["webhook secret"][:20]} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+a.hook+"/webhook/telegram?x="+a.canaries["token"], strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		a.output.WriteString(fmt.Sprint(resp.Status, resp.Header) + "\n")
		resp.Body.Close()
	}
	a.runCleanly("status")
	a.Stop()
}

// checkEverything searches for the secrets in all places.
func (a *canaryService) checkEverything(t *testing.T, carol telegramtest.User) {
	t.Helper()
	a.checkFiles(t)
	log, err := os.ReadFile(filepath.Join(a.Dir, "log"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(log) {
		if what := a.found(line); what != nil {
			t.Errorf("the log has %q: %s", what, line)
		}
	}
	for line := range bytes.Lines(a.output.Bytes()) {
		if what := a.found(line); what != nil {
			t.Errorf("a verb has printed %q: %s", what, line)
		}
	}
	for where, value := range a.databaseValues() {
		if what := a.found([]byte(value)); what != nil {
			t.Errorf("the database has %q in %s: %.200q", what, where, value)
		}
	}
	for _, r := range a.model.Requests() {
		header := r.Header.Clone()
		header.Del("Authorization")
		if what := a.found(append(r.Raw, fmt.Sprint(header)...)); what != nil {
			t.Errorf("a model was sent %q", what)
		}
	}
	for _, c := range a.bot.Calls() {
		params, err := json.Marshal(c.Params)
		if err != nil {
			t.Fatal(err)
		}
		onPurpose := c.ChatID == carol.ID && strings.Contains(string(params), "Scan the picture") || c.Method == "setWebhook"
		if what := a.found(params); what != nil && !onPurpose {
			t.Errorf("Telegram was sent %q by %s: %.300s", what, c.Method, params)
		}
	}
}

// checkFiles searches for the secrets in the service's files and the users' homes.
func (a *canaryService) checkFiles(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"state", "homes"} {
		for path, what := range a.foundInFiles(t, filepath.Join(a.Dir, dir)) {
			t.Errorf("%s has %q", path, what)
		}
	}
}

// checkDetection checks that the search finds secrets.
func (a *canaryService) checkDetection(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for what, secret := range a.canaries {
		for i, form := range encodings(secret) {
			if strings.HasPrefix(what, "typed") && i > 0 {
				continue
			}
			path := filepath.Join(dir, "planted")
			if err := os.WriteFile(path, []byte("x "+string(form)+" y"), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := a.foundInFiles(t, dir)[path]; !slices.Contains(got, what) {
				t.Errorf("%s was planted as %q, and %q were found", what, form, got)
			}
		}
	}
}
