package openai

import (
	"regexp"
	"strconv"

	"mews/supervisor/model/remote"
)

// limitState says what happens to a request's limit of output when the endpoint refuses it.
type limitState int

const (
	limitOptional limitState = iota // it is left out
	limitRequired                   // it is sent by its other name
	// it has been; it is not given up, because the payment relies on it
	limitRenamed
)

// limit sets how many tokens the answer may have: wanted, which is required then, or the provider's
// own bound. It is never more than the model is known to allow.
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

// renameLimit drops a limit that is refused under one of its two names. A required limit is sent by
// its other name instead, once.
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

// maxOutputPattern finds the most that a model may answer in a refusal. OpenAI: "This model
// supports at most 16384 completion tokens"; Groq: "must be less than or equal to `8192`";
// DeepSeek: "the valid range of max_tokens is [1, 8192]".
var maxOutputPattern = regexp.MustCompile("(?:at most|less than or equal to|valid range of max_tokens is \\[1,) ?`?(\\d{2,7})")

var refusesLimit = refusesParameter("max_tokens", "max_completion_tokens")

// lowerLimit says whether f refuses r's limit as more than the model may answer. It lowers it, for
// later requests too.
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
