package app_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// The spawner dies three times in one turn, and each time the worker with it. The message is
// answered.
func TestSpawnerDeaths_InOneTurn_AreNobodysFault(t *testing.T) {
	t.Parallel()
	const kills = 3
	asked := make(chan struct{}, 100)
	var calls atomic.Int32
	_, url := modeltest.NewServer(t, func(r modeltest.Request) modeltest.Answer {
		asked <- struct{}{}
		if calls.Add(1) <= kills {
			return modeltest.Answer{Text: "never said", Chunk: 1, CutAfter: 1, Hang: true}
		}
		return modeltest.EchoScript(r)
	})
	h := apptest.NewService(t, url, "ann")
	h.Start()
	said := make(chan string, 1)
	go func() { // this goroutine ends with the chat
		cmd := exec.CommandContext(t.Context(), filepath.Join(h.Bin, "mews"), "chat", "--user", "ann", "--config",
			h.Config)
		cmd.Stdin = strings.NewReader("hello\n")
		out, _ := cmd.CombinedOutput()
		said <- string(out)
	}()
	for range kills {
		<-asked
		for _, pid := range h.ProcessIDs("mews-spawner") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	if out := <-said; !strings.Contains(out, "echo: hello") {
		t.Errorf("the answer is %q", out)
	}
	if n := h.QueryCount("SELECT count(*) FROM turn WHERE deaths > 0"); n != 0 {
		t.Errorf("%d turns have deaths", n)
	}
	h.Stop()
}
