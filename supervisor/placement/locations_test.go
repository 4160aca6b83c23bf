package placement

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestLimitNotice_IsRateLimited(t *testing.T) {
	c := &WorkerLocations{notices: limitNotices()}
	now := time.Unix(1_800_000_000, 0)
	for _, step := range []struct {
		what  string
		after time.Duration
		told  bool
	}{
		{"ann memory", 0, true}, {"ann memory", time.Minute, false}, {"ann pids", time.Minute, true},
		{"bob memory", time.Minute, true}, {"ann memory", quiet, true},
	} {
		if told := c.notices.ShouldReport(step.what, now.Add(step.after)); told != step.told {
			t.Errorf("%s after %v: told %v", step.what, step.after, told)
		}
	}
	c.AllowLimitNotices("ann")
	if !c.notices.ShouldReport("ann pids", now.Add(2*time.Minute)) ||
		c.notices.ShouldReport("bob memory", now.Add(2*time.Minute)) {
		t.Error("a new turn of ann's is not told, or bob is")
	}
}

func TestCheckStateFolder_Replaceable_IsRefused(t *testing.T) {
	dir, err := os.MkdirTemp("", "mews-trust-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o711); err != nil {
		t.Fatal(err)
	}
	if err := CheckStateFolder(state); err != nil {
		t.Errorf("one's own: %v", err)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	err = CheckStateFolder(state)
	if os.Getuid() == 0 && (err == nil || !strings.Contains(err.Error(), dir)) {
		t.Errorf("below a folder that all can write: %v", err)
	}
	if os.Getuid() != 0 && err != nil {
		t.Errorf("only root gives folders away: %v", err)
	}
}
