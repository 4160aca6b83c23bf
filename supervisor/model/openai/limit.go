package openai

import (
	"regexp"
	"strconv"

	"mews/supervisor/model/remote"
)

// limitState is how a limit of the answer is held to when the endpoint refuses it.
type limitState int

const (
	limitOptional limitState = iota // it is left out
	limitRequired                   // it goes by its other name
	limitRenamed                    // it does so already, and is not given up: who pays for the answer counts on it
)

// limit says how many tokens the answer may have: wanted, which it then must not go without, or the provider's own bound.
// It is never more than the model is known to take.
func (p *Provider) limit(r *request, wanted int64) {
	n := p.maxOutput
	if wanted > 0 {
		n, r.limitState = int(min(wanted, 1<<31-1)), limitRequired
	}
	if n <= 0 {
		return
	}
	if most := p.limits.Get(r.Model); most > 0 {
		n = min(n, most)
	}
	p.server.limit(r, n)
}

// renameLimit is for a limit of the answer that is refused under a name: it is left out. Where it must not be, it goes by
// its other name, once.
func renameLimit(fields func(*request) (refused, other *int)) func(*request) bool {
	return func(r *request) bool {
		refused, other := fields(r)
		if *refused == 0 || r.limitState == limitRenamed {
			return false
		}
		if r.limitState == limitRequired {
			r.limitState, *other = limitRenamed, *refused
		}
		*refused = 0
		return true
	}
}

// maxOutputPattern finds how servers say what a model may say at most. OpenAI: "This model supports at most 16384 completion
// tokens"; Groq: "must be less than or equal to `8192`"; DeepSeek: "the valid range of max_tokens is [1, 8192]".
var maxOutputPattern = regexp.MustCompile("(?:at most|less than or equal to|valid range of max_tokens is \\[1,) ?`?(\\d{2,7})")

var refusesLimit = refusesParameter("max_tokens", "max_completion_tokens")

// lowerLimit says whether f refuses the limit of r's answer as more than the model may say, and lowers it, now and from now on.
func (p *Provider) lowerLimit(r *request, f *remote.Refusal) bool {
	found := maxOutputPattern.FindStringSubmatch(f.Text)
	sent := max(r.MaxTokens, r.MaxCompletionTokens)
	if found == nil || sent == 0 || !refusesLimit(f) && f.Param != "max_completion_tokens" {
		return false
	}
	most, err := strconv.Atoi(found[1])
	if err != nil || most >= sent {
		return false
	}
	p.limits.Change(r.Model, func(int) int { return most })
	p.Log.Info("a model may say less at once; it is asked for no more from now on", "provider", p.Name, "model", r.Model,
		"tokens", most)
	for _, field := range []*int{&r.MaxTokens, &r.MaxCompletionTokens} {
		*field = min(*field, most)
	}
	return true
}
