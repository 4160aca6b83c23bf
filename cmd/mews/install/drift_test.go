package install

import (
	"slices"
	"testing"
)

// TestDrift_EditedFile_IsNamed: the doctor names each step that is not as the installer has left it.
func TestDrift_EditedFile_IsNamed(t *testing.T) {
	needRoot(t)
	r := newRig(t)
	if err := r.install("", household()); err != nil {
		t.Fatal(err)
	}
	if names := r.open("").drift(); len(names) > 0 {
		t.Errorf("after the installation: %q", names)
	}
	r.put("etc/mews/spawner.policy", "a person's\n")
	if names := r.open("").drift(); !slices.Equal(names, []string{"file /etc/mews/spawner.policy"}) {
		t.Errorf("after an edit: %q", names)
	}
}
