package claim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/claim"
)

func TestWarning_UnprovedKinds_AreNamed(t *testing.T) {
	for want, kinds := range map[string][]claim.DeedKind{
		"": nil,
		"(Not verified: it says that it sent something; no tool did so in this turn.)":                                                   {claim.Send},
		"(Not verified: it says that it deleted something and ran something; no tool did so in this turn.)":                              {claim.Run, claim.Delete},
		"(Not verified: it says that it saved or changed something, deleted something and sent something; no tool did so in this turn.)": claim.Kinds,
	} {
		note := claim.Warning(kinds)
		if note != want {
			t.Errorf("%s: %q, want %q", kinds, note, want)
		}
		for _, more := range []string{"", " And more (of it)."} {
			text, found := claim.CutWarning("All (of it).\n\n" + note + more)
			if found != (want != "") || strings.Join(strings.Fields(text), " ") != "All (of it)."+more {
				t.Errorf("without the note it is %q, %t", text, found)
			}
		}
	}
}

// A tool proves only its own kinds of deeds. If the list of tools can't be read, the error is
// returned.
func TestUnverifiedKinds_Tool_ProvesOnlyItsKind(t *testing.T) {
	all := make([]claim.Claim, len(claim.Kinds))
	for i, kind := range claim.Kinds {
		all[i] = claim.Claim{Kind: kind, Earlier: kind == claim.Send}
	}
	for tool, want := range map[string][]claim.DeedKind{
		"write_file":     {claim.Send, claim.Run, claim.Lookup},
		"run_command":    {claim.Send},
		"send_file":      {claim.Write, claim.Delete, claim.Run, claim.Schedule, claim.Lookup, claim.Remember},
		"read_file":      {claim.Write, claim.Delete, claim.Send, claim.Run, claim.Schedule, claim.Remember},
		"somebody_elses": nil,
	} {
		got, err := claim.UnverifiedKinds(all, func(earlier bool) ([]string, error) { return []string{tool}, nil })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s leaves %s unverified, want %s (%v)", tool, got, want, err)
		}
	}
	if got, err := claim.UnverifiedKinds(all, func(earlier bool) ([]string, error) {
		return map[bool][]string{true: {"send_file"}}[earlier], nil
	}); err != nil || slices.Contains(got, claim.Send) || len(got) != len(all)-1 {
		t.Errorf("sent in an earlier turn: %s is unverified (%v)", got, err)
	}
	broken := errors.New("broken")
	if got, err := claim.UnverifiedKinds(all, func(bool) ([]string, error) { return nil, broken }); !errors.Is(err, broken) || got != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// Claims with words that may be about an earlier turn have Earlier set.
func TestFindClaims_EarlierTurn_IsUncertain(t *testing.T) {
	for text, want := range map[string]bool{
		"I've saved it.": false, "I saved it.": true, "I have already saved it.": true, "Yes, I've saved it.": true, "Saved.": false,
		"Wrote `a.md` and saved `b.md`.": false, "Your reminder is set.": true, "Your note has been saved.": true, "Reminder set for 9.": false,
		"He guardado la nota.": false, "Guardé la nota.": true, "Sí, he guardado la nota.": true,
		"Ich habe es gespeichert.": false, "Ja, ich habe es gespeichert.": true, "Ich habe es bereits gespeichert.": true,
		"Je l'ai enregistré.": false, "Je l'ai déjà enregistré.": true,
		"I saved it. I've saved it again.": false,
	} {
		if claims := claim.FindClaims(text); len(claims) != 1 || claims[0].Earlier != want {
			t.Errorf("%q: %+v, want one with Earlier %t", text, claims, want)
		}
	}
}
