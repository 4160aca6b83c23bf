package ingress

import "testing"

func TestWhatAChatIsCalledNow(t *testing.T) {
	var m ChatRenames
	m.Add("-5", "-1005")
	m.Add("-1005", "-2005")
	m.Add("-6", "-6")
	for chat, want := range map[string]string{"-5": "-2005", "-1005": "-2005", "-2005": "-2005", "-6": "-6", "-7": "-7"} {
		if got := m.Current(chat); got != want {
			t.Errorf("%s is called %s, want %s", chat, got, want)
		}
	}
	m.Add("-2005", "-5") // and back
	if got := m.Current("-1005"); got != "-5" {
		t.Errorf("it is called %s", got)
	}
}
