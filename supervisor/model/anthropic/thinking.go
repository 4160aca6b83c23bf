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

// thinkingForm is how a request tells a model to think.
type thinkingForm struct {
	kind     string // thinking.type; "" leaves it out: the model's default
	budget   int64  // tokens, with the kind enabled
	effort   string // "" leaves it out
	sendBack bool   // the model thinks, so it gets its thinking of this turn back
	off      bool   // no thinking is wanted
}

// thinkingStyle has the forms in which a model is told not to think, and to think. The level adds
// the effort or the budget.
type thinkingStyle struct{ off, on thinkingForm }

// adaptive has the model think as long as it sees fit.
var adaptive = thinkingForm{kind: "adaptive", sendBack: true}

var (
	// withBudget thinks only when it is told how many tokens it may spend.
	withBudget = thinkingStyle{off: thinkingForm{off: true}, on: thinkingForm{kind: "enabled", sendBack: true}}
	// whenTold thinks only when it is told to.
	whenTold = thinkingStyle{off: thinkingForm{off: true}, on: adaptive}
	// unlessTold thinks unless it is told not to.
	unlessTold = thinkingStyle{off: thinkingForm{kind: "disabled", off: true}, on: adaptive}
	// betweenTools thinks at least between its calls.
	betweenTools = thinkingStyle{off: thinkingForm{kind: "between_tools", sendBack: true, off: true}, on: adaptive}
	// alwaysThinks refuses to be told not to.
	alwaysThinks = thinkingStyle{off: thinkingForm{effort: "low", sendBack: true, off: true}, on: adaptive}
)

// modelStyles are the styles of Anthropic's models as of November 2026. The first row counts whose
// family is the model's, or "", and whose version is not above the model's. Newer models take fewer
// and fewer forms, so an unknown one is told as little as possible. A name without a version may be
// anybody's model behind a proxy. From Anthropic's pages on thinking, "What's new in Claude Opus
// 5.5", "... Sonnet 5.5" and "... Opus 5".
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
	{"", 5, 0, alwaysThinks}, // fable, mythos
	{"", 4, 6, whenTold},
	{"", 0, 0, withBudget},
}

// modelVersion finds the family and the version in names such as claude-opus-4-6 and
// claude-3-7-sonnet-20250219.
var modelVersion = regexp.MustCompile(`claude-(?:([a-z]+)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?:-([a-z]+))?(?:[^0-9a-z]|$)`)

// thinkingStyleOf is the style of a model.
func thinkingStyleOf(model string) thinkingStyle {
	family, major, minor := "", 0, 0
	if found := modelVersion.FindStringSubmatch(model); found != nil {
		family = found[1] + found[4]
		major, _ = strconv.Atoi(found[2]) // one or two digits
		minor, _ = strconv.Atoi(found[3]) // 0 where there is none
	}
	for _, g := range modelStyles {
		if (g.family == "" || g.family == family) && (major > g.major || major == g.major && minor >= g.minor) {
			return g.style
		}
	}
	return withBudget
}

// thinkingLevels are the budget and the effort of each level of thinking.
var thinkingLevels = map[modelcall.Thinking]struct {
	budget int64
	effort string
}{
	modelcall.ThinkingLow:    {2048, "low"},
	modelcall.ThinkingMedium: {8192, "medium"},
	modelcall.ThinkingHigh:   {24576, "high"},
}

// ThinkingBudget is about how many tokens a level of thinking takes; 0 where there is none.
func ThinkingBudget(level modelcall.Thinking) int64 { return thinkingLevels[level].budget }

const (
	minBudget = 1024 // the API's own
	minSpeech = 1024 // tokens that thinking must leave for the answer
)

// thinkingFormOf is the form of a level of thinking for a model.
func thinkingFormOf(model string, level modelcall.Thinking, maxTokens int64) thinkingForm {
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

// retryForm is the form to ask again in after a refusal of the thinking that a person cannot mend:
// earlier thinking is no longer valid (the API binds it to the model and to all that stood before
// it), the turn began with another model and without thinking, or thinking cannot be turned off. ok
// is false after any other error.
func (f thinkingForm) retryForm(err error) (thinkingForm, bool) {
	r := remote.RefusalIn(err)
	if r == nil || r.Status != http.StatusBadRequest || !r.Says("thinking") {
		return f, false
	}
	unthought := r.Says("expected `thinking`")
	invalid := r.Says("signature", "bound to", "thinking` block", "thinking block")
	switch {
	case f.kind != "" && !f.off && (unthought || invalid && f.kind == "enabled"): // enabled wants a turn to begin with thinking
		return withBudget.off, true
	case f.sendBack && invalid:
		f.sendBack = false
		return f, true
	case f.off && f.kind != "":
		return alwaysThinks.off, true
	}
	return f, false
}

// isThinking says whether a thinking block of the transcript is one of this API's, which takes it
// back word for word.
func isThinking(t *protocol.Thinking) bool {
	var head struct{ Type string }
	return t.Format == Format && json.Unmarshal(t.Block, &head) == nil &&
		(head.Type == "thinking" || head.Type == "redacted_thinking")
}
