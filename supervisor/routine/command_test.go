package routine

import (
	"slices"
	"testing"
)

// Commands with private answers do not answer in a group.
func TestCommands_PrivateAnswers_StayOutOfGroups(t *testing.T) {
	private := []string{}
	for _, c := range (&Routines{}).Feature().Commands {
		if c.Private != nil && c.Private("7:30") && c.Private("") {
			private = append(private, c.Name)
		}
	}
	if want := []string{"digest", "notifications"}; !slices.Equal(private, want) {
		t.Errorf("private are %q, want %q", private, want)
	}
}
