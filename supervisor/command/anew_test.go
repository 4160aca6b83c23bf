package command_test

import "testing"

func TestPress_EditedMessage_IsAnsweredAgain(t *testing.T) {
	h := newRig(t)
	h.live()
	for press, want := range map[string]string{"e:7": "I answer it again.", "e:8": "I already answered that again, or I never answered it.",
		"e:x": "This button does nothing any more. Send the command again for new ones."} {
		if got := h.pressed(press); got.Text != want {
			t.Errorf("%s: told was %q", press, got.Text)
		}
	}
}
