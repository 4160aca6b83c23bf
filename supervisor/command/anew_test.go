package command_test

import "testing"

func TestAPressHasAnEditedMessageAnsweredAnew(t *testing.T) {
	h := newRig(t)
	h.live()
	for press, want := range map[string]string{"e:7": "I answer it anew.", "e:8": "That was answered anew before, or was never answered.",
		"e:x": "This button does nothing any more. Send the command again for new ones."} {
		if got := h.pressed(press); got.Text != want {
			t.Errorf("%s: told was %q", press, got.Text)
		}
	}
}
