package command_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor"
)

const settingsEnd = "\n\n“/settings NAME VALUE” changes one in all your chats, and “/settings NAME default” resets it. For example:\n\n"

func TestSettings_List_ShowsOrigins(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	h.live()
	h.fakes.settings = map[string]string{"budget day": "$1.00"}
	got := h.answerOf(h.keep("/settings"))
	want := "Your settings:\n\n- model: `offline`, set by the configuration\n- thinking: off, set by the " +
		"configuration\n" +
		"- budget day: $1.00, set by you\n- stream: on, the default" + settingsEnd +
		"- `/settings model offline`\n- `/settings budget day 1.50`\n- `/settings stream off`"
	if diff := cmp.Diff(want, got.Text); diff != "" {
		t.Error(diff)
	}
	buttons := [][]supervisor.Button{{{Text: "Choose a model", Press: "m:"}},
		{{Text: "Reset budget day", Press: "s:budget day default"}},
		{{Text: "stream: on", Press: "s:stream on"}, {Text: "stream: off", Press: "s:stream off"}}}
	if diff := cmp.Diff(buttons, got.Buttons); diff != "" {
		t.Error(diff)
	}
	for _, row := range got.Buttons { // every button must work
		if answer := h.pressAnswer(row[0].Press); strings.Contains(answer.Text, "There is no") {
			t.Errorf("%s is answered %q", row[0].Press, answer.Text)
		}
	}
	if diff := cmp.Diff(map[string]string{"stream": "on"}, h.fakes.settings); diff != "" {
		t.Error(diff)
	}
}

func TestSettings_SetAndReset_TakeEffect(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	h.live()
	for _, step := range []struct {
		ask, want string
		own       map[string]string
	}{
		{"/settings stream off", "From now on stream is off, set by you.", map[string]string{"stream": "off"}},
		{"/settings  Budget   DAY 1", "From now on budget day is 1, set by you. It counts at " +
			"once.", map[string]string{"stream": "off", "budget day": "1"}},
		{"/settings stream Default", "From now on stream is on, the default.", map[string]string{"budget day": "1"}},
		{"/settings stream bad", "No stream is bad.", map[string]string{"budget day": "1"}},
		{"/settings stream", "Write a value, on or off: “/settings stream off”, or “/settings stream default”.", map[string]string{"budget day": "1"}},
		{"/settings thinking high", "You can't change thinking here. An admin can change it in the configuration.", map[string]string{"budget day": "1"}},
		{"/settings model offline", "From your next message on `offline` answers you", map[string]string{"budget day": "1"}},
		{"/settings streamer on", "There is no setting `streamer on`. There are model, budget day, stream.", map[string]string{"budget day": "1"}},
		{"/settings budget 1", "There is no setting `budget 1`.", map[string]string{"budget day": "1"}},
	} {
		if got := h.ask(step.ask); !strings.HasPrefix(got, step.want) {
			t.Errorf("%s: told was %q", step.ask, got)
		}
		if diff := cmp.Diff(step.own, h.fakes.settings); diff != "" {
			t.Errorf("%s: %s", step.ask, diff)
		}
	}
	h.moveTo("-1")
	if got := h.ask("/settings budget day 0.75"); strings.Contains(got, "0.75") || h.fakes.settings["budget day"] != "0.75" {
		t.Errorf("a group is told %q", got)
	}
}

func TestModel_Button_ChoosesModel(t *testing.T) {
	h := newRig(t)
	h.moveTo("1")
	offers := manyModels(40)
	offers = append(offers, models{{Spec: "barred/m"}, {Spec: "aa/" + strings.Repeat("x", 60)}, {Spec: "aa/naïve"}}...)
	chosen := modelChoices{}
	h.options.Models, h.options.Choices = offers, chosen
	h.live()
	if got := h.ask("/model barred/m"); !strings.HasPrefix(got, "You may not choose `barred/m`: the configuration limits your choice") {
		t.Errorf("told was %q", got)
	}
	if got := h.ask("/models"); strings.Contains(got, "barred") {
		t.Errorf("listed is\n%s", got)
	}
	got := h.answerOf(h.keep("/model"))
	var texts []string
	for _, row := range got.Buttons {
		texts = append(texts, row[0].Text)
	}
	want := []string{"✓ near/qwen3:8b", "claude/claude-haiku-4-5-20251001", "far/m-000", "far/m-001", "far/m-002", "far/m-003", "far/m-004", "far/m-005"}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	if got := h.pressAnswer(got.Buttons[2][0].Press); !strings.HasPrefix(got.Text, "From your next message on `far/m-000`") || chosen["ann"] != "far/m-000" {
		t.Errorf("told was %q, chosen is %q", got.Text, chosen["ann"])
	}
	got = h.pressAnswer("m:")
	last := got.Buttons[len(got.Buttons)-1][0]
	if got.Buttons[0][0].Text != "✓ far/m-000" || last.Text != "As configured" {
		t.Errorf("the buttons are %+v", got.Buttons)
	}
	if h.pressAnswer(last.Press); chosen["ann"] != "" {
		t.Errorf("chosen is %q", chosen["ann"])
	}
}
