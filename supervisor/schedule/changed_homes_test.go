package schedule

import (
	"fmt"
	"testing"
	"time"
)

// Changes are reported even if files in the folder keep changing.
func TestFileNotices_FolderNeverStill_AreSent(t *testing.T) {
	h := newNoticesHarness(t)
	for i := range 2 * 60 * 3 { // a change every 20 s for two hours
		h.changeFiles(fmt.Sprintf("changed log%d.md", i%3))
		h.runFor(t, 20*time.Second)
	}
	if n := len(h.saidTo(t, chatOf("alice"))); n < 8 || n > 12 {
		t.Errorf("in two hours there are %d messages", n)
	}
}
