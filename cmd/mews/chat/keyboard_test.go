package chat

import (
	"io"
	"strings"
	"testing"
)

// TestCtrlCComesAfterWhatWasTypedBeforeIt: a person may type faster than the program reads.
func TestCtrlCComesAfterWhatWasTypedBeforeIt(t *testing.T) {
	var heard strings.Builder
	keys := &keyboard{in: strings.NewReader("\x03hang\r\x03\x03on"), interrupt: func() { heard.WriteString("^C") }}
	p := make([]byte, 3)
	for {
		n, err := keys.Read(p)
		heard.Write(p[:n])
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if heard.String() != "^Chang\r^C^Con" {
		t.Errorf("heard %q", heard.String())
	}
}
