package app

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor/alarm"
)

func TestReload_OneFault_ChangesNothing(t *testing.T) {
	c := newCommandLine(t, true)
	text := fmt.Sprintf(commandLineConfig, c.dir)
	if out := c.mustRun("reload"); out != "nothing has changed\n" {
		t.Errorf("said %q", out)
	}
	c.configure(
		strings.NewReplacer("day: 2.50", "day: 5", "{name: cleo", "{name: dora", ", totp: off", "").Replace(text) +
			"approvals: {all: {send_file: deny}}\naccess: {session: 5m}\nmodels: {prices: {offline: {input: 7, " +
			"output: 7}}}\n",
	)
	out := c.mustRun("reload")
	for _, line := range []string{"users.ann.budget.day: 5, it was 2.5\n", "users.dora: a user of role user\n", "approvals.all.send_file: deny, it was allow\n"} {
		if !strings.Contains(out, line) {
			t.Errorf("said %q, want %q", out, line)
		}
	}
	if _, there := c.listUsers()["cleo"]; there || c.listUsers()["ann"].Budget.Day != 5_000_000 ||
		c.s.configuration.Current().Access.Session != 5*time.Minute {
		t.Errorf("it was not put into force: %+v", c.listUsers())
	}
	price := func() int64 {
		micro, _ := c.s.models.Cost("offline", protocol.Usage{Input: 1_000_000}, 0)
		return micro
	}
	if price() != 7_000_000 {
		t.Errorf("a million tokens cost %d", price())
	}

	// because of one change that needs a restart, all changes are refused
	applied := c.s.configuration.Current()
	c.configure(text + "chat: {stream: final}\n")
	c.mustFail("only at a restart: chat.stream", "reload")
	// because of one missing folder, all changes are refused
	c.configure(text + "  - {name: eve, home: " + c.dir + "/nowhere}\nmodels: {prices: {offline: {input: 9, " +
		"output: 9}}}\n")
	c.mustFail("the folder of eve", "reload")
	if c.s.configuration.Current() != applied || price() != 7_000_000 || c.listUsers()["ann"].Budget.Day != 5_000_000 {
		t.Error("something was changed all the same")
	}
	c.configure("users: 7\n")
	c.mustFail("users: got a single value", "reload")
	c.configure(text)
	if got := strings.Join(c.auditedActions("config."), ", "); strings.Count(got, "config.reloaded") != 2 {
		t.Errorf("audited %q", got)
	}
}

// systemd handed over the secrets, so a reload can't read them again. The reload's output says so,
// and how to restart.
func TestReload_SystemdSecrets_PrintsRestartHint(t *testing.T) {
	handed, own := t.TempDir(), filepath.Join(t.TempDir(), "own")
	t.Setenv("CREDENTIALS_DIRECTORY", handed)
	for _, path := range []string{filepath.Join(handed, "far-key"), own} {
		must(t, os.WriteFile(path, []byte("first"), 0o600))
	}
	c := newCommandLine(t, false)
	c.configure(fmt.Sprintf(commandLineConfig, c.dir) + "models: {providers: {far: {kind: openai, base_url: " +
		"\"http://127.0.0.1:1/v1\", api_key_file: far-key}, " +
		"near: {kind: openai, base_url: \"http://127.0.0.1:1/v1\", api_key_file: " + own + "}}}\n")
	c.serve()
	const note = "systemd passes these secrets only when Mews starts: far-key. " +
		"After you change one, run: systemctl restart\n"
	if out := c.mustRun("reload"); out != "nothing has changed\n"+note {
		t.Errorf("said %q", out)
	}
	must(t, os.WriteFile(own, []byte("second"), 0o600))
	// a secret in another file is read again, and applies at once
	if out := c.mustRun("reload"); out != "models.providers.near.api_key: another one\n"+note {
		t.Errorf("said %q", out)
	}
}

// The other file has the same state folder, so the command reaches the service.
func TestReload_OtherFile_IsRefused(t *testing.T) {
	c := newCommandLine(t, true)
	running, other := c.file, filepath.Join(c.dir, "other.yaml")
	link := filepath.Join(c.dir, "link.yaml")
	must(t, os.Symlink(running, link))
	c.file = other
	c.configure(fmt.Sprintf(commandLineConfig, c.dir) + "access: {session: 5m}\n")
	c.mustFail("Mews runs with the configuration "+running+", not with "+other, "reload")
	c.file = link
	if out := c.mustRun("reload"); out != "nothing has changed\n" {
		t.Errorf("the same file by a link: %q", out)
	}
}

func TestReload_NoService_IsRefused(t *testing.T) {
	newCommandLine(t, false).mustFail("Mews is not running here", "reload")
}

// Secrets of hooks and searches, and the URLs of alarms, apply at once.
func TestReload_NewSecrets_ApplyAtOnce(t *testing.T) {
	c := newCommandLine(t, false)
	var called []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		called = append(called, r.URL.Path)
	}))
	defer server.Close()
	const more = `
webhooks: {listen: "127.0.0.1:1"}
hooks: {deploy: {user: ann, secret: a-secret-of-the-hook-one}}
web: {search: [{name: find, kind: brave, key: key-one}]}
alarms: {url: "SERVER/alarm-one", heartbeat: "SERVER/beat-one"}
`
	text := fmt.Sprintf(commandLineConfig, c.dir) + strings.ReplaceAll(more, "SERVER", server.URL)
	c.configure(text)
	c.serve()
	hook := c.s.hooks()[0]
	alarms, err := c.s.alarmOptions(c.s.configuration.Current)
	must(t, err)
	check := func(n string) {
		t.Helper()
		called = nil
		must(t, alarms.Send(t.Context(), alarm.Message{Name: alarm.Disk, Text: "full"}))
		must(t, alarms.Beat(t.Context()))
		got := append([]string{hook.Secret(), c.s.searchKey("find")}, called...)
		want := []string{"a-secret-of-the-hook-" + n, "key-" + n, "/alarm-" + n, "/beat-" + n}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	check("one")
	c.configure(strings.ReplaceAll(text, "-one", "-two"))
	if out := c.mustRun("reload"); strings.Count(out, "another one") != 4 {
		t.Errorf("said %q", out)
	}
	check("two")
}
