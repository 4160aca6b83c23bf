package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
)

// TestFaultsAreForAdmins: of each failure that an admin has to mend they are told once until the
// model answers, and its person reads neither what it was nor, beside a fallback's answer, why.
// What nobody has to mend is told to whoever met it.
func TestFaultsAreForAdmins(t *testing.T) {
	var told []string
	hidden := func(c *Catalogue) *Catalogue {
		told = nil
		c.HideFaults(func(user string) bool { return user == "alice" }, func(text string) { told = append(told, text) })
		return c
	}
	stream := func(c *Catalogue, user string) string {
		answer, err := c.Stream(t.Context(), "", supervisor.ModelRequest{User: user}, func(supervisor.ModelDelta) {})
		switch {
		case err != nil:
			return supervisor.ErrorMessage(err)
		case answer.Replaced != nil:
			return "replaced: " + answer.Replaced.Reason
		}
		return "fine"
	}
	unavailable := "a/m is not available at the moment, and an admin was told why. Try again later, or choose another model with /model."
	c := hidden(with(t, fails(supervisor.ModelAuth, supervisor.ModelAuth, supervisor.ModelCredit, supervisor.ModelAuth, "", supervisor.ModelAuth)))
	got := []string{stream(c, "bob"), stream(c, "bob"), stream(c, "bob"), stream(c, "alice"), stream(c, "bob"), stream(c, "bob")}
	want := []string{unavailable, unavailable, unavailable, "It failed: auth.", "fine", unavailable}
	if !slices.Equal(got, want) {
		t.Errorf("read is %q", got)
	}
	auth, credit := "People can't be answered by a/m. It failed: auth.", "People can't be answered by a/m. It failed: credit."
	if want := []string{auth, credit, "a/m answers again.", auth}; !slices.Equal(told, want) {
		t.Errorf("told is %q", told)
	}
	c = hidden(with(t, fails(supervisor.ModelAuth), says("fine")))
	if got := stream(c, "bob"); got != "replaced: is not available" || len(told) != 1 {
		t.Errorf("%q, and told is %q", got, told)
	}
	c = hidden(with(t, fails(supervisor.ModelRefused)))
	if got := stream(c, "bob"); got != "It failed: refused." || len(told) != 0 {
		t.Errorf("%q, and told is %q", got, told)
	}
	c = hidden(with(t, fails(supervisor.ModelMissing)))
	for i := range 2 * maxFaults {
		c.faults.hide("bob", fmt.Sprint("a/", i), failed(supervisor.ModelMissing))
	}
	if len(told) != maxFaults || !strings.Contains(told[0], "a/0") {
		t.Errorf("%d were told", len(told))
	}
}
