package command_test

import "testing"

func TestPress_EditedMessage_IsAnsweredAgain(t *testing.T) {
	h := newRig(t)
	h.live()
	for press, want := range map[string]string{"e:7": "I am answering your edited message again.",
		"e:8":     "There is nothing to answer again. I answered that edit already, or I never answered the message.",
		"again:7": "I am trying to answer again.",
		"again:8": "There is nothing to try again: I have tried already, or the message is gone.",
		"again:x": "This button does nothing any more. Send the command again for new ones.",
		"e:x":     "This button does nothing any more. Send the command again for new ones."} {
		if got := h.pressAnswer(press); got.Text != want {
			t.Errorf("%s: told was %q", press, got.Text)
		}
	}
}
