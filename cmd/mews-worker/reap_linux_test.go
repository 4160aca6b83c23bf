package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/worker/host/hosttest"
)

// TestReap_Orphans_LeavesChildren: the worker waits for the orphans of programs, and still gets the
// status of each program that it runs.
func TestReap_Orphans_LeavesChildren(t *testing.T) {
	p := start(t)
	p.hello(t)
	const orphans = `for i in $(seq 300); do (setsid true &); done; exit 7`
	p.host.Answer = hosttest.ScriptMessages(
		hosttest.CallMessage(hosttest.ToolCall("a", "run_command", `{"command":"`+orphans+`"}`)),
		hosttest.CallMessage(hosttest.ToolCall("b", "run_command", `{"command":"exit 3"}`)),
		hosttest.TextMessage("Done."),
	)
	var end protocol.TurnEnd
	if err := p.conn.Call(t.Context(), protocol.MethodTurnStart, p.host.TurnStart(), &end); err != nil {
		t.Fatal(err)
	}
	for call, want := range map[string]string{"a": "exit 7", "b": "exit 3"} {
		if result, ok := p.host.CallResult(call); !ok || !strings.Contains(result.Text, want) {
			t.Errorf("%s: %+v, want %q", call, result, want)
		}
	}
	deadline := time.Now().Add(time.Minute)
	for len(p.zombies(t)) > 0 {
		if time.Now().After(deadline) {
			t.Fatalf("zombies are left: %v", p.zombies(t))
		}
	}
	if err := p.conn.Call(t.Context(), protocol.MethodStop, nil, nil); err != nil {
		t.Fatal(err)
	}
}

// zombies returns the worker's ended children that were not reaped.
func (p *process) zombies(t *testing.T) (pids []string) {
	t.Helper()
	threads, err := os.ReadDir(p.proc("task"))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		text, _ := os.ReadFile(p.proc("task/" + thread.Name() + "/children"))
		for _, pid := range strings.Fields(string(text)) {
			stat, _ := os.ReadFile("/proc/" + pid + "/stat")
			if strings.Contains(string(stat), ") Z ") {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
