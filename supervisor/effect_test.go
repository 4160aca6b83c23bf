package supervisor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

func effect(kind, target, detail string) supervisor.Effect {
	return supervisor.Effect{Kind: kind, Target: target, Detail: detail}
}

func times(n int, e supervisor.Effect) (list []supervisor.Effect) {
	for range n {
		list = append(list, e)
	}
	return list
}

func TestEffectsInWords(t *testing.T) {
	long := strings.Repeat("x", 90)
	for want, done := range map[string][]supervisor.Effect{
		"wrote notes/a.md (created, 8 bytes)":             {effect("write", "notes/a.md", "created, 8 bytes")},
		"added to log.md (5 bytes)":                       {effect("append", "log.md", "5 bytes")},
		"edited notes.md 10 times":                        times(10, effect("edit", "notes.md", "1 line")),
		"moved a to b":                                    {effect("move", "a", "b")},
		"deleted a (.trash/a)":                            {effect("delete", "a", ".trash/a")},
		"ran make (exit 2, 3 s)":                          {effect("run", "make", "exit 2, 3 s")},
		"ran make 2 times, last: exit 0, 9 s":             {effect("run", "make", "exit 2, 3 s"), effect("run", "make", "exit 0, 9 s")},
		"sent a.png (image/png, 12 bytes)":                {effect(supervisor.EffectFileSent, "a.png", "image/png, 12 bytes, sha256 abab")},
		"sent a message 3 times":                          times(3, effect(supervisor.EffectMessageSent, "", "1 byte")),
		"asked Which one?: the second":                    {effect(supervisor.EffectAsked, "Which one?", "the second")},
		"began run_command: how far it came is not known": {effect(supervisor.EffectBegun, "run_command", "")},
		"edited a\nran make\nedited b":                    {effect("edit", "a", ""), effect("run", "make", ""), effect("edit", "b", "")},
		"edited a 2 times\nedited b":                      {effect("edit", "a", ""), effect("edit", "b", ""), effect("edit", "a", "")},
		"":                                                {effect(supervisor.EffectReceived, "photo.jpg", "3 bytes")},
		"wrote " + long[:79] + "… (two lines)":            {effect("write", long, "two\nlines")},
		"wrote ab":                                        {effect("write", "a\x1b\u202eb", "")},
		"sprouted a (b)":                                  {effect("sprouted", "a", "b")},
	} {
		if got := strings.Join(supervisor.EffectLines(done), "\n"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// At most ten lines stand below an answer: the last of them counts the rest.
func TestTheLinesOfEffectsAreBounded(t *testing.T) {
	for n, want := range map[int]string{1: "edited 0", 10: "edited 9", 11: "and 2 more", 300: "and 291 more"} {
		var done []supervisor.Effect
		for i := range n {
			done = append(done, effect("edit", fmt.Sprint(i), ""))
		}
		lines := supervisor.EffectLines(done)
		if len(lines) != min(n, 10) || lines[len(lines)-1] != want {
			t.Errorf("%d: %q", n, lines)
		}
	}
}

func TestEffectKinds(t *testing.T) {
	seen := map[string]bool{}
	for _, k := range supervisor.EffectKinds {
		if found, known := supervisor.FindEffectKind(k.Name); !known || found != k || seen[k.Name] {
			t.Errorf("%s: %+v, %t", k.Name, found, known)
		}
		seen[k.Name] = true
	}
	if d := cmp.Diff([]string{"changed", "run", "sent", "asked", "received"}, supervisor.EffectGroups()); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"run", "begin", "call.begun"}, supervisor.KindsOf("run")); d != "" {
		t.Error(d)
	}
	if got := effect("write", "a", "1 byte").Words(strings.ToUpper); got != "wrote A (1 byte)" {
		t.Error(got)
	}
}
