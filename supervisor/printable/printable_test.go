package printable_test

import (
	"testing"

	"mews/supervisor/printable"
)

func TestDropControls_ControlCharacters_AreGone(t *testing.T) {
	if got := printable.DropControls("a\x1b[2Jb\u202ec\td é"); got != "a[2Jbcd é" {
		t.Errorf("got %q", got)
	}
}

func TestEscapeControls_ControlCharacter_IsEscaped(t *testing.T) {
	if got := printable.EscapeControls("a\x1bb\nc é"); got != `a\x1bb\nc é` {
		t.Errorf("got %q", got)
	}
}
