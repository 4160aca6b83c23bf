package openai

import (
	"regexp"
	"strconv"

	"mews/supervisor/model/remote"
)

// limitState is the reaction if the endpoint refuses a request's output limit.
type limitState int

const (
	limitOptional limitState = iota // repeat the request without the limit
	limitRequired                   // repeat the request with the limit under its other name
	// fail: both names were tried, and without a limit the cost is not bounded
	limitRenamed
)

// limit sets the output limit in tokens. A limit that the caller wanted is required. The provider's
// own limit is optional. The limit is never above the model's known maximum.
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

// renameLimit returns a function for a limit that was refused under one of its two names. The
// function sends a required limit under the other name, once. It drops an optional limit.
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

// maxOutputPattern finds the model's maximum output in a refusal. OpenAI: "This model supports at
// most 16384 completion tokens". Groq: "must be less than or equal to `8192`". DeepSeek: "the valid
// range of max_tokens is [1, 8192]".
var maxOutputPattern = regexp.MustCompile("(?:at most|less than or equal to|valid range of max_tokens is \\[1,) ?`?(\\d{2,7})")

var refusesLimit = refusesParameter("max_tokens", "max_completion_tokens")

// lowerLimit reports whether f refuses r's limit as above the model's maximum. If so, it lowers the
// limit, also for later requests.
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
	p.limits.Update(r.Model, func(int) int { return most })
	p.Log.Info("a model may say less at once; it is asked for no more from now on", "provider", p.Name, "model", r.Model,
		"tokens", most)
	for _, field := range []*int{&r.MaxTokens, &r.MaxCompletionTokens} {
		*field = min(*field, most)
	}
	return true
}
