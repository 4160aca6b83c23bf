package effect_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
	"mews/supervisor/effect"
)

func doing(kind, target, detail string) supervisor.Effect {
	return supervisor.Effect{Kind: kind, Target: target, Detail: detail}
}

func times(n int, e supervisor.Effect) (list []supervisor.Effect) {
	for range n {
		list = append(list, e)
	}
	return list
}

func TestAnswerLines_EachEffect_IsWorded(t *testing.T) {
	long := strings.Repeat("x", 90)
	for want, done := range map[string][]supervisor.Effect{
		"wrote notes/a.md (created, 8 bytes)": {doing("write", "notes/a.md", "created, 8 bytes")},
		"added to log.md (5 bytes)":           {doing("append", "log.md", "5 bytes")},
		"edited notes.md 10 times":            times(10, doing("edit", "notes.md", "1 line")),
		"moved a to b":                        {doing("move", "a", "b")},
		"deleted a (.trash/a)":                {doing("delete", "a", ".trash/a")},
		"ran make (exit 2, 3 s)":              {doing("run", "make", "exit 2, 3 s")},
		"ran make 2 times, last: exit 0, 9 s": {doing("run", "make", "exit 2, 3 s"), doing("run", "make", "exit 0, 9 s")},
		"sent a.png (image/png, 12 bytes)":    {doing(supervisor.EffectFileSent, "a.png", "image/png, 12 bytes, sha256 abab")},
		"sent a message 3 times":              times(3, doing(supervisor.EffectMessageSent, "", "1 byte")),
		"asked Which one? ➜ the second": {doing(supervisor.EffectQuestionAsked, "Which one?",
			"the second")},
		"began run_command: it may not have finished": {doing(supervisor.EffectCallBegun, "run_command", "")},
		"edited a\nran make\nedited b": {doing("edit", "a", ""), doing("run", "make", ""), doing("edit",
			"b", "")},
		"edited a 2 times\nedited b": {doing("edit", "a", ""), doing("edit", "b", ""), doing("edit",
			"a", "")},
		"": {doing(supervisor.EffectFileReceived, "photo.jpg",
			"3 bytes")},
		"wrote " + long[:79] + "… (two lines)": {doing("write", long, "two\nlines")},
		"wrote ab":                             {doing("write", "a\x1b\u202eb", "")},
		"sprouted a (b)":                       {doing("sprouted", "a", "b")},
	} {
		if got := strings.Join(effect.AnswerLines(done), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// An answer has at most ten lines about effects; the last line counts the rest.
func TestAnswerLines_ManyEffects_AreLimited(t *testing.T) {
	for n, want := range map[int]string{1: "edited 0", 10: "edited 9", 11: "and 2 more", 300: "and 291 more"} {
		var done []supervisor.Effect
		for i := range n {
			done = append(done, doing("edit", fmt.Sprint(i), ""))
		}
		lines := effect.AnswerLines(done)
		if len(lines) != min(n, 10) || lines[len(lines)-1] != want {
			t.Errorf("%d: %q", n, lines)
		}
	}
}

func TestFindKind_EachKind_IsFound(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range effect.Kinds {
		if found, known := effect.FindKind(k.Name); !known || found != k || seen[k.Name] {
			t.Errorf("%s: %+v, %t", k.Name, found, known)
		}
		seen[k.Name] = true
	}
	if d := cmp.Diff([]string{"changed", "run", "sent", "called", "asked", "received"}, effect.Groups()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"run", "begin", "call.begun"}, effect.GroupKinds("run")); d != "" {
		t.Error(d)
	}
	if got := effect.Describe(doing("write", "a", "1 byte"), strings.ToUpper); got != "wrote A (1 byte)" {
		t.Error(got)
	}
}

func TestParseQuery_TimesAndKinds_AreRead(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Madrid")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 10, 26, 0, 30, 0, 0, zone) // the day after the clocks went back
	for text, want := range map[string]string{
		"": "2026-10-26T00:00:00+01:00 -", "today": "2026-10-26T00:00:00+01:00 -",
		" 7D Sent": "2026-10-20T00:00:00+02:00 - file.sent message.sent file.queued message.queued file.refused " +
			"message.refused file.unknown message.unknown",
		"1d": "2026-10-26T00:00:00+01:00 -", "2026-10-25": "2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00",
		"asked 2026-10-25": "2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00 question.asked",
		"yesterday":        "2026-10-25T00:00:00+02:00 2026-10-26T00:00:00+01:00",
		"1h":               "2026-10-25T23:30:00+01:00 2026-10-26T00:30:00+01:00",
		"last hour sent": "2026-10-25T23:30:00+01:00 2026-10-26T00:30:00+01:00 file.sent message.sent file.queued " +
			"message.queued file.refused message.refused file.unknown message.unknown",
		"sent last 2 days": "2026-10-25T00:00:00+02:00 - file.sent message.sent file.queued " +
			"message.queued file.refused message.refused file.unknown message.unknown",
		"2026-10..": "2026-10-01T00:00:00+02:00 -",
		"last week": "2026-10-19T00:00:00+02:00 2026-10-26T00:00:00+01:00",
		"soon":      "error", "0d": "error", "99999d": "error", "2026-13-01": "error", "file.sent": "error",
	} {
		q, err := effect.ParseQuery(text, now)
		got := q.From.Format(time.RFC3339) + " -"
		if !q.To.IsZero() {
			got = q.From.Format(time.RFC3339) + " " + q.To.Format(time.RFC3339)
		}
		got = strings.Join(append([]string{got}, q.Kinds...), " ")
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// The list of effects for a model has a limit, and says how many effects are left out.
func TestFormatLog_ManyEffects_IsLimited(t *testing.T) {
	at := time.Date(2026, 11, 20, 13, 5, 0, 0, time.UTC)
	one := supervisor.Effect{
		Kind:       "edit",
		Target:     strings.Repeat("é", 100),
		At:         at,
		ReportedBy: supervisor.ReportedByWorker,
	}
	got := effect.FormatLog(times(200, one), time.UTC, 4096, "", nil)
	if len(got) > 4096 || len(got) < 3500 || !strings.Contains(got, "Older ones are left out") ||
		!strings.Contains(got, "The walled-off worker reported") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
	if got := effect.FormatLog([]supervisor.Effect{{Kind: supervisor.EffectFileSent, Target: "a", At: at}}, time.UTC,
		4096, "", nil); got != "2026-11-20 13:05 sent a" {
		t.Error(got)
	}
	if got := effect.FormatLog(nil, time.UTC, 0, "", nil); got != "Nothing was done in that time." {
		t.Error(got)
	}
}
