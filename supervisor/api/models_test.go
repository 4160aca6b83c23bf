package api

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestModelsReport_Text_MarksUsedAndDefault(t *testing.T) {
	for _, c := range []struct {
		name string
		in   ModelsReport
		want string
	}{
		{"nothing", ModelsReport{}, ""},
		{
			"models, and a provider that is silent",
			ModelsReport{
				Models: []ModelLine{
					{Spec: "claude/claude-haiku-4-5", InUse: true}, {Spec: "local/qwen3:8b", Default: true},
					{Spec: "offline"},
				},
				Silent: []FailedProvider{{Provider: "shut", Why: "It could not be reached."}},
			},
			"claude/claude-haiku-4-5  in use\n" +
				"local/qwen3:8b           the default\n" +
				"offline\n" +
				"shut did not say which models it has: It could not be reached.\n",
		},
		{
			"one that is both",
			ModelsReport{Models: []ModelLine{{Spec: "offline", InUse: true, Default: true}}},
			"offline  in use, the default\n",
		},
		{
			"a name that would move the cursor",
			ModelsReport{Models: []ModelLine{{Spec: "far/a\x1b[2J\n\tb"}},
				Silent: []FailedProvider{{Provider: "x\r", Why: "y\x07"}}},
			"far/a[2Jb\nx did not say which models it has: y\n",
		},
	} {
		if diff := cmp.Diff(c.want, c.in.Text()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
