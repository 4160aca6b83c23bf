package main_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

func TestTimersAreCoarse(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may read another process's slack")
	}
	_, url := modeltest.NewServer(t, modeltest.Instant)
	h := apptest.NewService(t, url, "ann")
	h.Start()
	for _, program := range []string{"mews", "mews-spawner"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/timerslack_ns", h.Processes(program)[0]))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSpace(string(text)); got != "300000" {
			t.Errorf("%s: the slack of timers is %s ns", program, got)
		}
	}
}
