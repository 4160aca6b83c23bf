package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/modelcall"
	"mews/supervisor/problem"
)

// TestFaults_Details_GoOnlyToAdmins checks that admins are told of each failure once, until the
// model answers. The user never reads the cause, not even with a fallback's answer. Failures that
// no admin can repair are shown to the user.
func TestFaults_Details_GoOnlyToAdmins(t *testing.T) {
	var told []string
	hidden := func(c *Catalogue) *Catalogue {
		told = nil
		c.HideFaultsFromUsers(func(user string) bool { return user == "alice" }, func(text string) {
			told = append(told,
				text)
		})
		return c
	}
	stream := func(c *Catalogue, user string) string {
		answer, err := c.Stream(t.Context(), "", modelcall.Request{User: user}, func(modelcall.Delta) {})
		switch {
		case err != nil:
			return problem.UserText(err)
		case answer.Replaced != nil:
			return "replaced: " + answer.Replaced.Reason
		}
		return "fine"
	}
	unavailable := "a/m is not available at the moment. An admin knows why. Try again later, or choose another model with /model."
	c := hidden(catalogueOf(t, failsWith(modelcall.AuthFailed, modelcall.AuthFailed, modelcall.NoCredit,
		modelcall.AuthFailed, "", modelcall.AuthFailed)))
	got := []string{stream(c, "bob"), stream(c, "bob"), stream(c, "bob"), stream(c, "alice"), stream(c, "bob"), stream(c, "bob")}
	want := []string{unavailable, unavailable, unavailable, "It failed: auth.", "fine", unavailable}
	if !slices.Equal(got, want) {
		t.Errorf("read is %q", got)
	}
	auth, credit := "a/m cannot answer people. It failed: auth.", "a/m cannot answer people. It failed: credit."
	if want := []string{auth, credit, "a/m answers again.", auth}; !slices.Equal(told, want) {
		t.Errorf("told is %q", told)
	}
	c = hidden(catalogueOf(t, failsWith(modelcall.AuthFailed), answers("fine")))
	if got := stream(c, "bob"); got != "replaced: is not available" || len(told) != 1 {
		t.Errorf("%q, and told is %q", got, told)
	}
	c = hidden(catalogueOf(t, failsWith(modelcall.RequestRefused)))
	if got := stream(c, "bob"); got != "It failed: refused." || len(told) != 0 {
		t.Errorf("%q, and told is %q", got, told)
	}
	c = hidden(catalogueOf(t, failsWith(modelcall.ModelMissing)))
	for i := range 2 * maxFaults {
		c.faults.hide("bob", fmt.Sprint("a/", i), failed(modelcall.ModelMissing))
	}
	if len(told) != maxFaults || !strings.Contains(told[0], "a/0") {
		t.Errorf("%d were told", len(told))
	}
}
