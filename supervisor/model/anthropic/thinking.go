package anthropic

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"mews/protocol"
	"mews/supervisor"
)

// thinkingForm is how a request words what is wanted of a model's thinking.
type thinkingForm struct {
	kind     string                 // thinking.type; "" leaves it out, and the model does what it does by default
	budget   int64                  // tokens, with the kind enabled
	effort   sdk.OutputConfigEffort // "" leaves it out
	sendBack bool                   // the model thinks, so what it thought in this turn goes back to it
	off      bool                   // no thinking was wanted
}

// thinkingStyle is the form in which a model is told to think or not to. The effort, or the budget, is added by the level.
type thinkingStyle struct{ off, on thinkingForm }

var (
	// budgeted: it thinks only when told how many tokens it may spend.
	budgeted = thinkingStyle{off: thinkingForm{off: true}, on: thinkingForm{kind: "enabled", sendBack: true}}
	// willing: it thinks only when told to, as long as it sees fit.
	willing = thinkingStyle{off: thinkingForm{off: true}, on: thinkingForm{kind: "adaptive", sendBack: true}}
	// keen: it thinks unless told not to.
	keen = thinkingStyle{off: thinkingForm{kind: "disabled", off: true}, on: thinkingForm{kind: "adaptive", sendBack: true}}
	// noting: it writes notes between its tool calls at the least.
	noting = thinkingStyle{off: thinkingForm{kind: "between_tools", sendBack: true, off: true}, on: thinkingForm{kind: "adaptive", sendBack: true}}
	// always: it thinks whatever it is told, and refuses to be told not to.
	always = thinkingStyle{off: thinkingForm{effort: sdk.OutputConfigEffortLow, sendBack: true, off: true}, on: thinkingForm{kind: "adaptive", sendBack: true}}
)

// modelStyles are the ways of Anthropic's models as of November 2026, tried in order: the first row whose family is the
// model's, or "", and whose version is not above the model's. Newer models have taken fewer and fewer forms, so one that
// is not known yet is told as little as possible. A name without a version may be of anybody's model behind a proxy.
// From Anthropic's pages on thinking, "What's new in Claude Opus 5.5", "... Sonnet 5.5" and "... Opus 5".
var modelStyles = []struct {
	family       string
	major, minor int
	way          thinkingStyle
}{
	{"", 5, 6, always},
	{"haiku", 5, 0, keen},
	{"sonnet", 5, 5, noting},
	{"sonnet", 5, 0, keen},
	{"opus", 5, 5, always},
	{"opus", 5, 0, keen},
	{"", 5, 0, always}, // fable, mythos
	{"", 4, 6, willing},
	{"", 0, 0, budgeted},
}

// modelVersion finds the family and the version in claude-opus-4-6, claude-3-7-sonnet-20250219 and their like at proxies.
var modelVersion = regexp.MustCompile(`claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:-([a-z]+))?(?:[^0-9a-z]|$)`)

// thinkingStyleOf is how the model is told to think.
func thinkingStyleOf(model string) thinkingStyle {
	family, major, minor := "", 0, 0
	if found := modelVersion.FindStringSubmatch(model); found != nil {
		family = found[1] + found[4]
		major, _ = strconv.Atoi(found[2]) // one or two digits
		minor, _ = strconv.Atoi(found[3]) // or none, which is 0
	}
	for _, g := range modelStyles {
		if (g.family == "" || g.family == family) && (major > g.major || major == g.major && minor >= g.minor) {
			return g.way
		}
	}
	return budgeted
}

// thinkingLevels are what a level of thinking costs, in either form.
var thinkingLevels = map[supervisor.Thinking]struct {
	budget int64
	effort sdk.OutputConfigEffort
}{
	supervisor.ThinkingLow:    {2048, sdk.OutputConfigEffortLow},
	supervisor.ThinkingMedium: {8192, sdk.OutputConfigEffortMedium},
	supervisor.ThinkingHigh:   {24576, sdk.OutputConfigEffortHigh},
}

const (
	minBudget = 1024 // the API's own
	minSpeech = 1024 // tokens that thinking must leave for the answer
)

// thinkingFormOf words a level of thinking for a model.
func thinkingFormOf(model string, level supervisor.Thinking, maxTokens int64) thinkingForm {
	way := thinkingStyleOf(model)
	wanted, thinks := thinkingLevels[level]
	if !thinks {
		return way.off
	}
	out := way.on
	if out.kind != "enabled" {
		out.effort = wanted.effort
		return out
	}
	if out.budget = min(wanted.budget, maxTokens-minSpeech); out.budget < minBudget {
		return way.off
	}
	return out
}

// config is the form as the library takes it.
func (f thinkingForm) config() sdk.ThinkingConfigParamUnion {
	switch f.kind {
	case "enabled":
		return sdk.ThinkingConfigParamOfEnabled(f.budget)
	case "adaptive":
		return sdk.ThinkingConfigParamUnion{OfAdaptive: &sdk.ThinkingConfigAdaptiveParam{}}
	case "between_tools":
		config := sdk.NewThinkingConfigBetweenToolsParam()
		return sdk.ThinkingConfigParamUnion{OfBetweenTools: &config}
	case "disabled":
		config := sdk.NewThinkingConfigDisabledParam()
		return sdk.ThinkingConfigParamUnion{OfDisabled: &config}
	}
	return sdk.ThinkingConfigParamUnion{}
}

// retryForm is the form to ask again in after a refusal that has to do with thinking and that a person can do nothing
// about: what was thought earlier is no longer valid (the API binds it to the model and to all that stood before it), the
// turn began without thinking, at another model's, or thinking can't be turned off.
func (f thinkingForm) retryForm(err error) (thinkingForm, bool) {
	r := refused(err)
	if r == nil || r.Status != http.StatusBadRequest || !r.Says("thinking") {
		return f, false
	}
	unthought := r.Says("expected `thinking`")
	invalid := r.Says("signature", "bound to", "thinking` block", "thinking block")
	switch {
	case f.kind != "" && !f.off && (unthought || invalid && f.kind == "enabled"): // which wants a turn to begin with it
		return budgeted.off, true
	case f.sendBack && invalid:
		f.sendBack = false
		return f, true
	case f.off && f.kind != "":
		return always.off, true
	}
	return f, false
}

// thoughtBlock makes a block of the transcript one of a request, word for word. What is no block of this API is none.
func thoughtBlock(t *protocol.Thinking) (sdk.ContentBlockParamUnion, bool) {
	var head struct{ Type string }
	if t.Format != Format || json.Unmarshal(t.Block, &head) != nil {
		return sdk.ContentBlockParamUnion{}, false
	}
	switch head.Type {
	case "thinking":
		block := param.Override[sdk.ThinkingBlockParam](t.Block)
		return sdk.ContentBlockParamUnion{OfThinking: &block}, true
	case "redacted_thinking":
		block := param.Override[sdk.RedactedThinkingBlockParam](t.Block)
		return sdk.ContentBlockParamUnion{OfRedactedThinking: &block}, true
	}
	return sdk.ContentBlockParamUnion{}, false
}
