package openai

import (
	"regexp"
	"strconv"

	"mews/supervisor/model/remote"
)

// limitState says what to do if the endpoint refuses a request's output limit.
type limitState int

const (
	limitOptional limitState = iota // drop the limit
	limitRequired                   // send the limit by its other name
	// the limit was renamed once already; it is not dropped, because the payment relies on it
	limitRenamed
)

// limit sets the output limit in tokens. A limit of the caller, wanted, is required; otherwise the
// provider's own limit is optional. The limit is never higher than the model is known to allow.
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

// renameLimit returns a function that drops a limit which is refused under one of its two names. A
// required limit is sent once by its other name instead.
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

// maxOutputPattern finds a model's output limit in a refusal. OpenAI: "This model supports at most
// 16384 completion tokens"; Groq: "must be less than or equal to `8192`"; DeepSeek: "the valid
// range of max_tokens is [1, 8192]".
var maxOutputPattern = regexp.MustCompile("(?:at most|less than or equal to|valid range of max_tokens is \\[1,) ?`?(\\d{2,7})")

var refusesLimit = refusesParameter("max_tokens", "max_completion_tokens")

// lowerLimit reports whether f refuses r's limit as higher than the model allows. If so, lowerLimit
// lowers the limit, for later requests too.
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
