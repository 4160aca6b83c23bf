package app_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/protocol/spawnwire"
	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// TestDatabase_DoesNotOpen_AnswersOnce: a service manager runs Mews, and the database is damaged.
// Each person is answered once, and no update is acknowledged. Callers of webhooks are told to call
// again. The alarm reaches the URL and the admin, without a row. The test is the spawner.
func TestDatabase_DoesNotOpen_AnswersOnce(t *testing.T) {
	t.Parallel()
	alarms := make(chan string, 8)
	remote := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body) // the comparison finds a short text
		alarms <- string(text)
	}))
	t.Cleanup(remote.Close)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	hooks := free.Addr().String()
	_ = free.Close()
	l := newGatedService(t, func(modeltest.Request) modeltest.Answer { return modeltest.Answer{Text: "no"} },
		fmt.Sprintf("alarms: {url: %s/topic}\nwebhooks: {listen: %q}\nhooks: {door: {user: dan, secret: \"%032d\"}}\n",
			remote.URL, hooks, 7),
		"ann, role: admin", "dan")
	private := filepath.Join(l.Dir, "state", "private")
	if err := os.MkdirAll(private, 0o700); err != nil {
		t.Fatal(err)
	}
	damaged := []byte(strings.Repeat("no database ", 999))
	if err := os.WriteFile(filepath.Join(private, "mews.db"), damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	conn, theirs, err := spawnwire.NewConnPair()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(l.Bin, "mews"), "run", "--config", l.Config)
	cmd.Env = append(append(os.Environ(), l.Env...), "MEWS_SPAWNER_FD=3")
	cmd.ExtraFiles = []*os.File{theirs}
	var said strings.Builder
	cmd.Stdout, cmd.Stderr = &said, &said
	l.say("dan", "hello")
	l.say("dan", "are you there?")
	l.say("ann", "hello")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.awaitTold("dan", 0, "I can't open my database")
	l.awaitTold("ann", 0, "Mews can't open its database")
	select {
	case text := <-alarms:
		if !strings.HasPrefix(text, "Mews can't open its database") {
			t.Errorf("the URL got %q", text)
		}
	case <-time.After(2 * apptest.DefaultTestTimeout):
		t.Error("the URL got no alarm")
	}
	l.awaitTold("ann", 1, "Mews can't open its database")
	response, err := http.Post("http://"+hooks+"/hooks/door", "", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "5" {
		t.Errorf("a webhook is answered with %s, Retry-After %q", response.Status, response.Header.Get("Retry-After"))
	}
	for _, call := range l.bot.Calls("getUpdates") {
		if offset, ok := call.Params["offset"]; ok && fmt.Sprint(offset) != "0" {
			t.Errorf("a poll acknowledges updates: %v", call.Params)
		}
	}
	if err := conn.SetReceiveDeadline(time.Now().Add(apptest.DefaultTestTimeout)); err != nil {
		t.Fatal(err)
	}
	m, _, err := conn.Receive()
	if alive, ok := m.(spawnwire.AliveRequest); err != nil || !ok || alive.State != spawnwire.StateReady ||
		!strings.HasPrefix(alive.Text, "The database does not open") {
		t.Errorf("the service manager hears %+v, %v", m, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait() // its output is compared
	if len(l.told("dan")) != 1 {
		t.Errorf("dan was told %q; Mews wrote\n%s", l.told("dan"), &said)
	}
	_ = conn.Close()
	_ = theirs.Close()
}
