package unit

import (
	"os"
	"strings"
	"testing"
)

func TestNamedInstance_Name_NamesUnitAndState(t *testing.T) {
	for name, want := range map[string]string{"": "mews /var/lib/mews", "lab": "mews-lab /var/lib/mews-lab"} {
		if i, err := NamedInstance(name); err != nil || i.Unit+" "+i.State != want {
			t.Errorf("%q: %+v, %v", name, i, err)
		}
	}
	for _, name := range []string{"../x", "-f", "A", "a b", "a.service", strings.Repeat("a", 32)} {
		if i, err := NamedInstance(name); err == nil {
			t.Errorf("%q is %+v", name, i)
		}
	}
}

func TestCommand_Word_NamesUnit(t *testing.T) {
	i, err := NamedInstance("lab")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := i.Command("explode"); err == nil || !strings.Contains(err.Error(), "restart, logs") {
		t.Errorf("an unknown word: %v", err)
	}
	got, err := i.Command("restart")
	if _, missing := os.Stat("/run/systemd/system"); missing != nil {
		if err == nil {
			t.Errorf("without systemd: %q", got)
		}
		return
	}
	if err != nil || strings.Join(got, " ") != "systemctl restart mews-lab" {
		t.Errorf("%q, %v", got, err)
	}
}
