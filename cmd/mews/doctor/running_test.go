package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/supervisor/access"
	"mews/supervisor/api"
	"mews/supervisor/app"
	"mews/supervisor/control"
	"mews/supervisor/model/modeltest"
	"mews/supervisor/monitor"
	"mews/supervisor/telegram/telegramtest"
	"mews/supervisor/unit"
)

// add adds lines to the configuration.
func (r *rig) add(format string, args ...any) {
	r.t.Helper()
	r.configure(fmt.Sprintf(threePeople, r.dir) + fmt.Sprintf(format, args...))
}

// serve answers on the control socket with a status, until the test ends. The test may change the
// status between two examinations.
func (r *rig) serve(status *api.Status) {
	r.t.Helper()
	people, err := access.NewPeople(nil, uint32(os.Getuid()), nil)
	if err != nil {
		r.t.Fatal(err)
	}
	path := app.SocketPath(r.load())
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	answer := func(context.Context, uint32, *protocol.Request) (any, error) { return status, nil }
	s, err := control.Listen(path, control.Options{People: people, Log: hclog.NewNullLogger(),
		Methods: map[string]control.MethodHandler{api.MethodStatus: answer}})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ran := make(chan error, 1)
	go func() { ran <- s.Run(ctx) }()
	r.t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			r.t.Error(err)
		}
	})
}

func TestExaminePoll_LastAnswer_IsJudged(t *testing.T) {
	r := newRig(t)
	r.expectFinding("last poll", "ok ") // without a service there is nothing to examine
	status := &api.Status{}
	r.serve(status)
	for want, c := range map[string]api.ChannelStatus{
		"ok ":                                {Mode: "webhook"},
		"WARN Telegram has not answered yet": {Mode: "polling"},
		"BAD the last answer is 1h0m0s old":  {Mode: "polling", Completed: time.Now().Add(-time.Hour)},
		"ok answered 2s ago":                 {Mode: "polling", Completed: time.Now().Add(-2 * time.Second)},
	} {
		status.Channels = []api.ChannelStatus{c}
		r.expectFinding("last poll", want)
	}
}

func TestExamineListeners_PortOfService_IsTried(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := taken.Addr().String()
	r := newRig(t)
	r.add("listen: %s\n", address)
	r.expectFinding("listeners", "WARN listen: another program has "+address)
	status := &api.Status{Listen: address}
	r.serve(status)
	r.expectFinding("listeners", "ok "+address+" answers")
	status.Listen = "off: taken"
	r.expectFinding("listeners", "WARN listen: off: taken")
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	status.Listen = address
	r.expectFinding("listeners", "BAD nothing answers at "+address)
	r.add("listen: ''\n")
	r.expectFinding("listeners", "ok ")
}

func TestExamineAlarms_RaisedAlarm_IsBad(t *testing.T) {
	r := newRig(t)
	r.expectFinding("alarms", "ok alarms go only to the chats")
	r.add("alarms: {url: 'https://ntfy.sh/secret', heartbeat: 'https://hc-ping.com/x'}\n")
	r.expectFinding("alarms", "ok alarms go to ntfy at ntfy.sh, and to the chats of the admins; a heartbeat")
	status := &api.Status{}
	r.serve(status)
	r.expectFinding("alarms", "ok alarms go to ntfy")
	status.Alarms = []string{"backup"}
	r.expectFinding("alarms", "BAD raised: backup")
	status.Alarms, status.Faults = nil, []string{"safe mode"}
	r.expectFinding("alarms", "BAD not ready: safe mode")
}

func TestExamineClockAndWebhook_Telegram_IsAsked(t *testing.T) {
	const token = "42:abcdefghijklmnopqrstuvwxyz012345678"
	bot := telegramtest.New(t, telegramtest.Options{Token: token})
	r := newRig(t)
	r.expectFinding("clock", "ok ")
	r.add("telegram: {token: %q, api_url: %q}\n", token, bot.URL())
	r.expectFinding("clock", "ok within 1s of Telegram's")
	r.expectFinding("webhook", "ok ")
	r.add("telegram: {token: %q, api_url: %q, webhook: {url: 'https://mews.example.org/webhook/telegram',\n"+
		"  secret: abcdefghijklmnopq}}\n"+
		"webhooks: {listen: '127.0.0.1:8399'}\n", token, bot.URL())
	r.expectFinding("webhook", "BAD the bot's updates go to \"\" instead of https://mews.example.org")
}

func TestExamineKey_Calls_TriesKey(t *testing.T) {
	_, url := modeltest.NewServer(t, modeltest.EchoScript)
	r := newRig(t)
	r.add("models: {default: far/m, providers: {far: {kind: openai, base_url: %q}}}\n", url)
	try := func(calls bool) (string, error) {
		return examineKey(t.Context(), Options{Config: r.load(), Calls: calls})
	}
	if got, err := try(false); got != "" || err != nil {
		t.Errorf("without --calls: %q, %v", got, err)
	}
	if got, err := try(true); got != "far/m answers" || err != nil {
		t.Errorf("with --calls: %q, %v", got, err)
	}
	_, url = modeltest.NewServer(t, modeltest.ScriptWithFaults(modeltest.EchoScript,
		modeltest.FaultFromFailureClass(modeltest.FailureWrongKey)))
	r.add("models: {default: far/m, providers: {far: {kind: openai, base_url: %q}}}\n", url)
	if got, err := try(true); err == nil || !strings.HasPrefix(err.Error(), "far/m does not answer") {
		t.Errorf("with a wrong key: %q, %v", got, err)
	}
}

func TestCredentialFinding_File_IsJudged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	s := unit.Service{Name: "mews", Settings: []string{"LoadCredential=token:" + file}}
	check := func(name, got string, err error, want string) {
		t.Helper()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	got, err := credentialFinding(s, time.Time{})
	check("missing", got, err, "wants the credential token from")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err = credentialFinding(s, time.Time{})
	check("closed", got, err, "1 credential of the unit can be read by root alone")
	got, err = credentialFinding(s, time.Now().Add(-time.Hour))
	check("changed", got, err, "has changed since Mews started")
	if !errors.As(err, new(*warning)) {
		t.Errorf("a changed credential is %v", err)
	}
	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	got, err = credentialFinding(s, time.Time{})
	check("open", got, err, "others than root can read it")
	if got, err := credentialFinding(unit.Service{}, time.Time{}); got != "" || err != nil {
		t.Errorf("without a credential: %q, %v", got, err)
	}
}

func TestMemoryAndFiles_TooLittle_Warns(t *testing.T) {
	const gib = 1 << 30
	whole := monitor.MachineMemory{Total: 4 * gib, Available: 2 * gib}
	for name, c := range map[string]struct {
		find func() (string, error)
		warn bool
		want string
	}{
		"unknown": {func() (string, error) { return memoryFinding(monitor.MachineMemory{}, 1, gib) }, false, ""},
		"enough": {func() (string, error) { return memoryFinding(whole, 2, gib) }, false,
			"2 GiB of 4 GiB are left; no swap"},
		"little": {func() (string, error) {
			return memoryFinding(monitor.MachineMemory{Total: 4 * gib, Available: 1 << 20}, 2, gib)
		}, true, "only 1 MiB of 4 GiB are left"},
		"promised": {func() (string, error) { return memoryFinding(whole, 5, gib) }, true,
			"5 turns at once may take 5 GiB"},
		"files": {func() (string, error) { return openFilesFinding(1024, 3) }, false, "1024 files"},
		"few":   {func() (string, error) { return openFilesFinding(256, 3) }, true, "3 people may need 260"},
	} {
		got, err := c.find()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) || c.warn != errors.As(err, new(*warning)) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestRun_Severity_DecidesError: warnings alone are ErrWarnings, and one problem is an error. JSON
// has the same findings as the text.
func TestRun_Severity_DecidesError(t *testing.T) {
	before := examinations
	defer func() { examinations = before }()
	finding := func(text string, err error) func(context.Context, Options) (string, error) {
		return func(context.Context, Options) (string, error) { return text, err }
	}
	fine := examination{"fine", finding("all is well", nil)}
	unwell := examination{"unwell", finding("", &warning{"look at it"})}
	bad := examination{"bad", finding("", errors.New("mend it"))}
	hidden := examination{"hidden", finding("", nil)}
	for _, c := range []struct {
		all      []examination
		want     string
		warnings bool
	}{
		{[]examination{fine, hidden}, "", false},
		{[]examination{fine, unwell}, ErrWarnings.Error(), true},
		{[]examination{fine, unwell, bad}, "1 of these need attention", false},
	} {
		examinations = c.all
		var text, encoded bytes.Buffer
		err := Run(t.Context(), Options{Out: &text})
		bad := Run(t.Context(), Options{Out: &encoded, JSON: true})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.want || fmt.Sprint(err) != fmt.Sprint(bad) || errors.Is(err, ErrWarnings) != c.warnings {
			t.Errorf("%v, as JSON %v, want %q", err, bad, c.want)
		}
		var found []Finding
		err = json.Unmarshal(encoded.Bytes(), &found)
		if err != nil || len(found) != strings.Count(text.String(), "\n") {
			t.Errorf("%v: %+v, and the text is\n%s", err, found, &text)
		}
	}
}
