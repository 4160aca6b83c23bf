package printable_test

import (
	"testing"

	"mews/supervisor/printable"
)

func TestText_ControlsInIt_AreDropped(t *testing.T) {
	if got := printable.Text("a\x1b[2Jb\u202ec\td é"); got != "a[2Jbcd é" {
		t.Errorf("got %q", got)
	}
}

func TestEscape_ControlsInIt_AreWritten(t *testing.T) {
	if got := printable.Escape("a\x1bb\nc é"); got != `a\x1bb\nc é` {
		t.Errorf("got %q", got)
	}
}
