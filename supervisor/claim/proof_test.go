package claim_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"mews/supervisor/claim"
)

func TestWarning_UnverifiedClaims_AreNamed(t *testing.T) {
	for want, kinds := range map[string][]claim.DeedKind{
		"": nil,
		"(Not verified: the assistant says that it sent something; no tool did that for this " +
			"answer.)": {claim.DeedSend},
		"(Not verified: the assistant says that it deleted something and ran something; no tool did that for this " +
			"answer.)": {claim.DeedRun, claim.DeedDelete},
		"(Not verified: the assistant says that it saved or changed something, deleted something and sent " +
			"something; no tool did that for this answer.)": claim.DeedKinds,

		"(Not verified: the assistant says that it will come back to you; it set no reminder or task for " +
			"that.)": {claim.DeedPromise},
		"(Not verified: the assistant says that it scheduled something and will come back to you later; no tool " +
			"did that for this answer.)": {claim.DeedPromise, claim.DeedSchedule},
	} {
		note := claim.Warning(kinds)
		if note != want {
			t.Errorf("%s: %q, want %q", kinds, note, want)
		}
		for _, more := range []string{"", " And more (of it)."} {
			text, found := claim.RemoveWarning("All (of it).\n\n" + note + more)
			if found != (want != "") || strings.Join(strings.Fields(text), " ") != "All (of it)."+more {
				t.Errorf("without the note it is %q, %t", text, found)
			}
		}
	}
}

// A tool proves only its own kinds of deeds. If the list of tools can't be read, the error is
// returned.
func TestUnverifiedKinds_Tool_ProvesOnlyItsKind(t *testing.T) {
	all := make([]claim.Claim, len(claim.DeedKinds))
	for i, kind := range claim.DeedKinds {
		all[i] = claim.Claim{Kind: kind, Earlier: kind == claim.DeedSend, Sentence: "I sent a.pdf."}
	}
	for tool, want := range map[string][]claim.DeedKind{
		"write_file":  {claim.DeedSend, claim.DeedRun, claim.DeedBuy, claim.DeedLookup, claim.DeedPromise},
		"run_command": {claim.DeedSend, claim.DeedBuy, claim.DeedPromise},
		"send_file": {claim.DeedWrite, claim.DeedDelete, claim.DeedRun, claim.DeedBuy, claim.DeedSchedule,
			claim.DeedLookup, claim.DeedRemember,
			claim.DeedPromise},
		"read_file": {claim.DeedWrite, claim.DeedDelete, claim.DeedSend, claim.DeedRun, claim.DeedBuy,
			claim.DeedSchedule,
			claim.DeedRemember,
			claim.DeedPromise},
		"somebody_elses": nil,
	} {
		got, err := claim.UnverifiedKinds(all, func(earlier bool) ([]claim.Deed,
			error) {
			return []claim.Deed{{Tool: tool, Row: `{"path":"a.pdf"}`}}, nil
		})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s leaves %s unverified, want %s (%v)", tool, got, want, err)
		}
	}
	if got, err := claim.UnverifiedKinds(all, func(earlier bool) ([]claim.Deed, error) {
		return map[bool][]claim.Deed{true: {{Tool: "send_file", Earlier: true, Row: "a.pdf"}}}[earlier], nil
	}); err != nil || slices.Contains(got, claim.DeedSend) || len(got) != len(all)-1 {
		t.Errorf("sent in an earlier turn: %s is unverified (%v)", got, err)
	}
	broken := errors.New("broken")
	if got, err := claim.UnverifiedKinds(all, func(bool) ([]claim.Deed, error) { return nil, broken }); !errors.Is(err,
		broken) || got != nil {
		t.Errorf("%s, %v", got, err)
	}
}

// Claims with words that may be about an earlier turn have Earlier set.
func TestFindClaims_EarlierTurn_IsUncertain(t *testing.T) {
	for text, want := range map[string]bool{
		"I've saved it.": false, "I saved it.": true, "I have already saved it.": true, "Yes, I've saved it.": true,
		"Saved.":                         false,
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

// An earlier deed excuses a claim only if the claim names a path, a name or a time of the deed.
func TestUnverifiedKinds_EarlierDeed_MustBeNamed(t *testing.T) {
	const write, send, task = "write_file", "send_file", "schedule_task"
	for _, c := range []struct {
		says, tool, row string
		excused         bool
	}{
		{"Yes, I saved it to notes.md.", write, `{"path":"notes.md","content":"x"}`, true},
		{"Yes, I saved it to `notes.md`.", write, `{"path":"notes/notes.md"} wrote`, true},
		{"Yes, I saved it to notes.md.", write, `{"path":"old-notes.md"}`, false},
		{"Yes, I saved it to notes.md.", write, `{"path":"todo.md"}`, false},
		{"Yes, I saved it.", write, `{"path":"notes.md"}`, false},
		{"I emailed Bob.", send, `{"path":"x.svg"} sent x.svg`, false},
		{"I emailed Bob.", send, `{"path":"bob.svg","caption":"for Bob"}`, true},
		{"I've sent Bob the file.", send, `{"caption":"for Bob"}`, false}, // a claim about this turn
		{"I saved a.md. I saved b.md.", write, `{"path":"a.md"}`, false},
		{"I saved a.md. Yes, I saved it.", write, `{"path":"a.md"}`, true},
		{"I'll remind you tomorrow at 9.", task, `{"when":"2026-11-30 09:00"}`, true},
		{"I'll remind you at 9 pm.", task, `{"when":"2026-11-30T21:00:00+01:00"}`, true},
		{"I'll remind you at 9.", task, `{"when":"2026-11-30 10:00"}`, false},
		{"I'll remind you.", task, `{"when":"2026-11-30 09:00"}`, false},
		{"I'll remind you in 20 minutes.", task, `{"when":"in 20 min"}`, true},
		{"I'll remind you in 20 minutes.", task, `{"when":"in 20 hours"}`, false},
		{"I'll remind you on Monday.", task, "Mon 30 Nov 2026 10:00", true},
		{"I'll remind you on Tuesday.", task, "Mon 30 Nov 2026 10:00", false},
		{"I'll remind you on 3 May.", task, `{"when":"2027-05-03"}`, true},
		{"I'll remind you on 3 May.", task, `{"when":"2027-03-05"}`, false},
		{"Ich erinnere dich morgen um 9.", task, `{"when":"2026-11-30 09:00"}`, true},
		{"Ich erinnere dich um 9 Uhr.", task, `{"when":"2026-11-30 09:30"}`, false},
		{"Ich erinnere dich am Montag.", task, "Mon 30 Nov 2026 10:00", true},
		{"Ich erinnere dich an Lea.", task, `{"text":"Lea anrufen"}`, true},
		{"I'll remind you tomorrow at 9.", write, `{"path":"a 9:00"}`, false},
	} {
		kinds, err := claim.UnverifiedKinds(claim.FindClaims(c.says), func(earlier bool) ([]claim.Deed, error) {
			return []claim.Deed{{Tool: c.tool, Earlier: true, Row: c.row}}, nil
		})
		if err != nil || len(kinds) != map[bool]int{false: 1}[c.excused] {
			t.Errorf("%q after %s %s leaves %s unverified, %v", c.says, c.tool, c.row, kinds, err)
		}
	}
}

// A failed program proves only that it ran, unless it changed files. A claim that names files needs
// one of them in a row of this turn.
func TestUnverifiedKinds_FailedRun_ProvesOnlyRun(t *testing.T) {
	const run = "run_command"
	failed := claim.Deed{Tool: run, Row: `{"command":"pytest && rm old.md > report.md"}`, Result: "exit 3, 0.1 s"}
	passed := claim.Deed{Tool: run, Row: `{"command":"pytest && rm old.md > report.md"}`, Result: "exit 0, 0.1 s"}
	changed := claim.Deed{Tool: run, Row: `{"command":"make"} report.md`, Result: "exit 2, 3 s", Changed: true}
	wrote := func(file string) claim.Deed {
		return claim.Deed{Tool: "write_file", Row: `{"path":"` + file + `","content":"x"}`, Result: "wrote"}
	}
	read := claim.Deed{Tool: "read_file", Row: `{"path":"in/meeting.md"}`}
	const allDone = "I ran the tests and all of them pass. I have saved the report to report.md and " +
		"I have deleted old.md."
	for _, c := range []struct {
		says  string
		deeds []claim.Deed
		want  string
	}{
		{allDone, []claim.Deed{failed}, "pass write delete"},
		{allDone, []claim.Deed{passed}, ""},
		{allDone, []claim.Deed{failed, passed}, ""},
		{allDone, []claim.Deed{changed}, "pass"},
		{allDone, []claim.Deed{{Tool: run, Result: "ended by a signal: killed, 2 s"}}, "pass write delete"},
		{allDone, []claim.Deed{{Tool: run, Result: "timed out after 120 s, 120 s"}}, "pass write delete"},
		{"I ran the tests, and 2 of them failed.", []claim.Deed{failed}, ""},
		{"I ran the tests. Not all of them pass.", []claim.Deed{failed}, ""},
		{"I ran the tests. If all tests pass, I can go on.", []claim.Deed{failed}, ""},
		{"I ran the tests. Everything is green.", []claim.Deed{failed}, "pass"},
		{"Ich habe die Tests ausgeführt, alle Tests sind grün.", []claim.Deed{failed}, "pass"},
		{"I searched the code and found nothing.", []claim.Deed{failed}, ""},
		{"I've saved it.", []claim.Deed{failed}, "write"},
		{"I've saved it.", []claim.Deed{failed, wrote("a.md")}, ""},

		{"I've saved notes.md and b5.txt.", []claim.Deed{wrote("a4.txt")}, "write"},
		{"I've saved `notes.md`.", []claim.Deed{wrote("my-notes.md")}, "write"},
		{"I've saved notes.md.", []claim.Deed{wrote("notes.md")}, ""},
		{"I've saved `work/Notes.md`.", []claim.Deed{wrote("/workspaces/x/notes.md")}, ""},
		{"I've saved notes.md and b5.txt.", []claim.Deed{wrote("b5.txt")}, ""},
		{"I've updated your todo list from meeting.md.", []claim.Deed{read, wrote("todo.md")}, ""},
		{"I've deleted old.md.", []claim.Deed{wrote("a4.txt")}, "delete"},
		{"I've sent you report.pdf.", []claim.Deed{{Tool: "send_file", Row: `{"path":"x.pdf"}`}}, "send"},
		{"I've sent you the chart.", []claim.Deed{{Tool: "run_python", Result: "exit 0, 1 s", Sent: true}}, ""},
		{"I've sent you the chart.", []claim.Deed{{Tool: "run_python", Result: "exit 0, 1 s"}}, "send"},
		{"I've sent you the chart.", []claim.Deed{{Tool: "plot_chart", Sent: true}}, ""},
		{"I've saved it to notes.md.", []claim.Deed{{Tool: "drive_put", Row: `{"id":7}`}}, ""},
		{"I've saved it to notes.md.", []claim.Deed{{Tool: "terminal", Row: `{"input":":wq"}`}}, ""},
		{"I've saved it to MEMORY.md.", []claim.Deed{{Tool: "update_memory"}}, ""},
		{"I've saved it, e.g. the list, for you.", []claim.Deed{wrote("a4.txt")}, ""},
	} {
		worked := func(bool) ([]claim.Deed, error) { return c.deeds, nil }
		kinds, err := claim.UnverifiedKinds(claim.FindClaims(c.says), worked)
		var got []string
		for _, kind := range kinds {
			got = append(got, string(kind))
		}
		if err != nil || strings.Join(got, " ") != c.want {
			t.Errorf("%q after %+v leaves %q unverified, want %q (%v)", c.says, c.deeds, got, c.want, err)
		}
	}
	if got := claim.Warning([]claim.DeedKind{claim.DeedRunSucceeded}); !strings.Contains(got,
		"ran something without errors") {
		t.Errorf("the warning is %q", got)
	}
}
