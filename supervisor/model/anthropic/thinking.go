package anthropic

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"

	"mews/protocol"
	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// thinkingForm has the parameters about thinking in a request.
type thinkingForm struct {
	kind     string // the parameter thinking.type; "" leaves it out, so that the model's default counts
	budget   int64  // tokens for thinking, if kind is enabled
	effort   string // the parameter effort; "" leaves it out
	sendBack bool   // whether this turn's thinking is sent back, because the model thinks
	off      bool   // whether the user wants no thinking
	origin   string // provider, host and model, as in protocol.Thinking
}

// thinkingStyle has a model's forms without thinking and with thinking. The level of thinking adds
// the effort or the budget.
type thinkingStyle struct{ off, on thinkingForm }

// adaptive lets the model decide how long it thinks.
var adaptive = thinkingForm{kind: "adaptive", sendBack: true}

var (
	// withBudget is for models that think only with a budget of tokens.
	withBudget = thinkingStyle{off: thinkingForm{off: true}, on: thinkingForm{kind: "enabled", sendBack: true}}
	// whenTold is for models that think only on request.
	whenTold = thinkingStyle{off: thinkingForm{off: true}, on: adaptive}
	// unlessTold is for models that think unless the request forbids it.
	unlessTold = thinkingStyle{off: thinkingForm{kind: "disabled", off: true}, on: adaptive}
	// betweenTools is for models that always think between their calls.
	betweenTools = thinkingStyle{off: thinkingForm{kind: "between_tools", sendBack: true, off: true}, on: adaptive}
	// alwaysThinks is for models that refuse a request not to think.
	alwaysThinks = thinkingStyle{off: thinkingForm{effort: "low", sendBack: true, off: true}, on: adaptive}
)

// modelStyles are the styles of Anthropic's models in November 2026. A row matches if its family is
// the model's or "", and its version is not above the model's. The first match counts. Newer models
// accept fewer forms, so an unknown model gets as few parameters as possible. A name without a
// version may be any model behind a proxy. Sources: Anthropic's pages on thinking, "What's new in
// Claude Opus 5.5", "... Sonnet 5.5" and "... Opus 5".
var modelStyles = []struct {
	family       string
	major, minor int
	style        thinkingStyle
}{
	{"", 5, 6, alwaysThinks},
	{"haiku", 5, 0, unlessTold},
	{"sonnet", 5, 5, betweenTools},
	{"sonnet", 5, 0, unlessTold},
	{"opus", 5, 5, alwaysThinks},
	{"opus", 5, 0, unlessTold},
	{"", 5, 0, alwaysThinks}, // models of the families fable and mythos
	{"", 4, 6, whenTold},
	{"", 0, 0, withBudget},
}

// modelVersion matches family and version in names like claude-opus-4-6 and
// claude-3-7-sonnet-20250219.
var modelVersion = regexp.MustCompile(`claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:-([a-z]+))?(?:[^0-9a-z]|$)`)

// thinkingStyleOf returns the style of a model.
func thinkingStyleOf(model string) thinkingStyle {
	family, major, minor := "", 0, 0
	if found := modelVersion.FindStringSubmatch(model); found != nil {
		family = found[1] + found[4]
		major, _ = strconv.Atoi(found[2]) // never an error: found[2] has one or two digits
		minor, _ = strconv.Atoi(found[3]) // 0 if the name has no minor version
	}
	for _, g := range modelStyles {
		if (g.family == "" || g.family == family) && (major > g.major || major == g.major && minor >= g.minor) {
			return g.style
		}
	}
	return withBudget
}

// thinkingLevels has the budget and the effort of each level of thinking.
var thinkingLevels = map[modelcall.ThinkingLevel]struct {
	budget int64
	effort string
}{
	modelcall.ThinkingLow:    {2048, "low"},
	modelcall.ThinkingMedium: {8192, "medium"},
	modelcall.ThinkingHigh:   {24576, "high"},
}

// ThinkingBudget returns the approximate tokens for a level of thinking; 0 for no thinking.
func ThinkingBudget(level modelcall.ThinkingLevel) int64 { return thinkingLevels[level].budget }

const (
	minBudget = 1024 // the lowest budget that the API accepts
	minSpeech = 1024 // output tokens that thinking must leave for the answer
)

// thinkingFormOf returns the parameters for a model and a level of thinking.
func thinkingFormOf(model string, level modelcall.ThinkingLevel, maxTokens int64) thinkingForm {
	style := thinkingStyleOf(model)
	wanted, thinks := thinkingLevels[level]
	if !thinks {
		return style.off
	}
	out := style.on
	if out.kind != "enabled" {
		out.effort = wanted.effort
		return out
	}
	if out.budget = min(wanted.budget, maxTokens-minSpeech); out.budget < minBudget {
		return style.off
	}
	return out
}

// retryForm returns the parameters for a second try if the API refused the thinking. The user
// cannot correct that. There are three cases. Earlier thinking is no longer valid, because the API
// ties thinking to the model and to all text before it. Another model began the turn without
// thinking. Or thinking cannot be turned off. ok is false for any other error.
func (f thinkingForm) retryForm(err error) (thinkingForm, bool) {
	r := remote.FindRefusal(err)
	if r == nil || r.Status != http.StatusBadRequest || !r.TextContains("thinking") {
		return f, false
	}
	unthought := r.TextContains("expected `thinking`")
	invalid := r.TextContains("signature", "bound to", "thinking` block", "thinking block")
	switch {
	// with the kind enabled, a turn must begin with thinking
	case f.kind != "" && !f.off && (unthought || invalid && f.kind == "enabled"):
		return withBudget.off, true
	case f.sendBack && invalid:
		f.sendBack = false
		return f, true
	case f.off && f.kind != "":
		return alwaysThinks.off, true
	}
	return f, false
}

// isThinking reports whether a thinking block of the transcript has this API's format, and the same
// origin as the request. Only such a block is sent back, unchanged.
func isThinking(t *protocol.Thinking, origin string) bool {
	var head struct{ Type string }
	mine := t.Origin == "" || origin == "" || remote.IsSameThinkingOrigin(t.Origin, origin)
	return mine && t.Format == ThinkingFormat && json.Unmarshal(t.Block, &head) == nil &&
		(head.Type == "thinking" || head.Type == "redacted_thinking")
}
