package command_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"mews/supervisor"
	"mews/supervisor/command"
)

// models is a list of models; the default model is marked.
type models []command.ModelOffer

func (m models) ResolveName(spec string) (string, error) {
	provider, name, slashed := strings.Cut(spec, "/")
	for _, o := range m {
		of, _, _ := strings.Cut(o.Spec, "/")
		switch {
		case spec == "offline" && o.Spec == spec:
			return spec, nil
		case slashed && of == provider && name != "":
			return spec, nil
		case o.Default && spec == "":
			return o.Spec, nil
		case o.Default && !slashed && of != "offline":
			return of + "/" + spec, nil
		}
	}
	return "", &supervisor.Error{Code: supervisor.CodeNotFound, Message: fmt.Sprintf("There is no model %q.", spec)}
}

func (m models) ListOffers(context.Context) []command.ModelOffer { return m }

// IsUnpriced reports whether the listed model has the mark.
func (m models) IsUnpriced(spec string) bool {
	return slices.ContainsFunc(m, func(o command.ModelOffer) bool { return o.Spec == spec && o.Unpriced })
}

// modelChoices has the chosen model of each user. Users may not choose models of the provider
// "barred".
type modelChoices map[string]string

func (c modelChoices) MayChoose(_, spec string) bool { return !strings.HasPrefix(spec, "barred/") }

func (c modelChoices) CurrentModel(_ context.Context, user string) (string, bool, error) {
	spec, own := c[user]
	return spec, own, nil
}

func (c modelChoices) Choose(_ context.Context, user, spec string) error {
	c[user] = spec
	if spec == "" {
		delete(c, user)
	}
	return nil
}

// manyModels returns n models of one provider, and two of other providers.
func manyModels(n int) models {
	m := models{{Spec: "near/qwen3:8b", Default: true}, {Spec: "offline"}, {Spec: "shut", Err: "It could not be reached."},
		{Spec: "claude/claude-haiku-4-5-20251001"}}
	for i := range n {
		m = append(m, command.ModelOffer{Spec: fmt.Sprintf("far/m-%03d", i)})
	}
	return m
}

const resetHint = " “/model default” resets that. /models lists all models."

func TestModel_Choice_IsStored(t *testing.T) {
	h := newRig(t)
	chosen := modelChoices{"bob": "near/qwen3"}
	h.options.Models, h.options.Choices = manyModels(40), chosen
	h.live()
	for _, step := range []struct{ ask, want, chosen string }{
		{"/model", "`near/qwen3:8b` answers you, as configured. “/model PROVIDER/MODEL” chooses another for you " +
			"alone. /models lists all models.", ""},
		{"/model far/m-007", "From your next message on `far/m-007` answers you, in all your chats. “/model default” resets " +
			"that.", "far/m-007"},
		{"/model", "`far/m-007` answers you, by your own choice." + resetHint, "far/m-007"},
		{"/model nowhere/x", "There is no model \"nowhere/x\". Choose one of these:\n\n- `near/qwen3:8b`", "far/m-007"},
		{"/model far/m-041", "`far` offers no model `m-041`. Choose one of these:\n\n- `far/m-000`", "far/m-007"},
		{"/model far/m-041", "\n\nand 30 more; /models lists them.", "far/m-007"},
		{"/model qwen4", "`near` offers no model `qwen4`. Choose one of these:\n\n- `near/qwen3:8b`", "far/m-007"},
		{"/model one that is cheap", "The name of a model is one word", "far/m-007"},
		// a name without a provider belongs to the default's provider
		{"/model qwen3", "From your next message on `near/qwen3` answers you", "near/qwen3"},
		// the provider's list has this model with a date
		{"/model `claude/claude-haiku-4-5`", "on `claude/claude-haiku-4-5` ", "claude/claude-haiku-4-5"},
		{"/model far/m-001:free", "on `far/m-001:free` ", "far/m-001:free"},
		// a provider without a list may offer any model
		{"/model shut/anything", "on `shut/anything` ", "shut/anything"},
		{"/model Default", "From your next message on `near/qwen3:8b` answers you, as configured.", ""},
		{"/model default", "From your next message on `near/qwen3:8b` answers you, as configured", ""},
	} {
		if got := h.ask(step.ask); !strings.Contains(got, step.want) {
			t.Errorf("%q is answered with\n%s\nwhich lacks\n%s", step.ask, got, step.want)
		}
		if chosen["ann"] != step.chosen || chosen["bob"] != "near/qwen3" {
			t.Errorf("after %q chosen are %v", step.ask, chosen)
		}
	}
}

func TestModel_ChosenModelGone_IsReported(t *testing.T) {
	h := newRig(t)
	h.options.Models, h.options.Choices = manyModels(1), modelChoices{"ann": "gone/m"}
	h.live()
	const want = "You chose `gone/m`, which is no longer available: There is no model \"gone/m\". “/model default” resets your " +
		"choice."
	if got := h.ask("/model"); got != want {
		t.Errorf("told was %q", got)
	}
	if got := h.ask("/models"); !strings.Contains(got, "- `near/qwen3:8b` (the default)") {
		t.Errorf("told was %q", got)
	}
}

func TestModels_LongList_IsCutByProvider(t *testing.T) {
	h := newRig(t)
	h.options.Models, h.options.Choices = manyModels(1030), modelChoices{"ann": "far/m-777"}
	h.options.People = people{"ann": {Name: "ann", Role: supervisor.RoleAdmin}}
	h.live()
	var far strings.Builder
	for i := range 20 {
		fmt.Fprintf(&far, "- `far/m-%03d`\n", i)
	}
	want := "These models can answer you:\n\n- `claude/claude-haiku-4-5-20251001`\n" + far.String() +
		"- `far/m-777` (in use)\n- and 1,009 more of `far`\n- `near/qwen3:8b` (the default)\n- `offline`\n\n" +
		"`shut` did not list its models: It could not be reached.\n\n" +
		"“/models WORD” lists the models with that word in their names. “/model PROVIDER/MODEL” chooses one for you."
	if got := h.ask("/models"); got != want {
		t.Errorf("told was\n%s\nwant\n%s", got, want)
	}
	want = "Models with `m-99` in their names:\n\n- `far/m-990`"
	if got := h.ask("/models M-99"); !strings.HasPrefix(got, want) || strings.Count(got, "\n- ") != 10 {
		t.Errorf("told was\n%s", got)
	}
	want = "No model has `gpt` in its name.\n\n`shut` did not list its models: It could not be reached."
	if got := h.ask("/models gpt"); got != want {
		t.Errorf("told was\n%s", got)
	}
}

func TestModels_SilentProvider_ListsModelInUse(t *testing.T) {
	h := newRig(t)
	h.options.Models, h.options.Choices = manyModels(0), modelChoices{"ann": "shut/m"}
	h.live()
	if got := h.ask("/models"); !strings.Contains(got, "\n- `shut/m` (in use)\n\n`shut` did not list") {
		t.Errorf("told was\n%s", got)
	}
}

func TestModels_UnpricedModelInUse_SaysSo(t *testing.T) {
	for _, listed := range []bool{true, false} {
		h := newRig(t)
		offers := models{{Spec: "lan/qwen3", Unpriced: true, Default: true}, {Spec: "lan/other", Unpriced: true}}
		if !listed {
			offers = append(offers[:0:0], command.ModelOffer{Spec: "lan", Err: "It could not be reached."}, offers[0])
		}
		h.options.Models, h.options.Choices = offers, modelChoices{"ann": "lan/qwen3"}
		h.live()
		want := "\n- `lan/qwen3` (in use; its price is unknown, so it answers nobody with a spending limit)\n"
		if got := h.ask("/models"); !strings.Contains(got, want) {
			t.Errorf("listed %v: told was\n%s", listed, got)
		}
	}
}

func TestModels_ProviderError_ShownOnlyToAdmins(t *testing.T) {
	for name, c := range map[string]struct {
		role  supervisor.Role
		group bool
		told  bool
	}{"an admin": {supervisor.RoleAdmin, false, true}, "a group": {supervisor.RoleAdmin, true, false}, "somebody else": {supervisor.RoleUser, false, false}} {
		h := newRig(t)
		h.options.Models, h.options.People = manyModels(0), people{"ann": {Name: "ann", Role: c.role}}
		if c.group {
			h.inGroup()
		}
		h.live()
		got := h.ask("/models")
		if strings.Contains(got, "`shut` did not list its models: It could not be reached.") != c.told ||
			strings.Contains(got, "`shut` did not list its models.\n\n") == c.told {
			t.Errorf("%s: told was\n%s", name, got)
		}
	}
}

// inGroup moves ann to a group.
func (h *rig) inGroup() {
	h.Helper()
	c, err := h.db.Conversations().FindOrCreate(h.Context(), "ann", supervisor.ChannelTelegram, "-1", "")
	if err != nil {
		h.Fatal(err)
	}
	h.home = c
}

func TestModels_MaliciousNames_StayOnOneLine(t *testing.T) {
	h := newRig(t)
	h.options.Models = models{{Spec: "far/a`b\n- c\u202e", Default: true}, {Spec: "far/" + strings.Repeat("x", 500)}}
	h.live()
	got := h.ask("/models")
	for _, want := range []string{"- `far/ab- c` (in use, the default)\n", "- `far/" + strings.Repeat("x", 116) + "…`\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("told was\n%s\nwhich lacks %q", got, want)
		}
	}
}

// failingModelChoices is a ModelChoices that fails to store a choice.
type failingModelChoices struct{ modelChoices }

func (failingModelChoices) Choose(context.Context, string, string) error {
	return errors.New("errno 5")
}

func TestModel_FailedStore_IsReported(t *testing.T) {
	h := newRig(t)
	h.options.Models, h.options.Choices = manyModels(1), failingModelChoices{}
	h.live()
	for _, ask := range []string{"/model far/m-000", "/model default"} {
		if got := h.ask(ask); strings.Contains(got, "From your next") || !strings.Contains(got, "in the log") {
			t.Errorf("%q is answered with %q", ask, got)
		}
	}
}
