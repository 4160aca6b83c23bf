package openai

import (
	"net/http"
	"slices"
	"strings"

	"mews/supervisor/model/remote"
)

// optionalPart is a part of a request that can be left out. If an endpoint refuses the part, the
// request is repeated without it.
type optionalPart struct {
	name       string
	refused    func(*remote.Refusal) bool
	removeFrom func(*request) bool // removes the part; false if the request did not have the part
}

var optionalParts = []optionalPart{
	{"calls of other models", missesReturned, changeForeign},
	{currentReturned, refusesSignature, removeReturned},
	{"returned parts", refusesReturned, removeReturned},
	{"thinking", refusesSwitch, clearField(func(r *request) **thinkingSwitch { return &r.Thinking })},
	{"stream_options", refusesParameter("stream_options"), clearField(func(r *request) **streamOptions { return &r.StreamOptions })},
	{"parallel_tool_calls", refusesParameter("parallel_tool_calls"), clearField(func(r *request) *bool { return &r.ParallelCalls })},
	{"max_tokens", refusesParameter("max_tokens"),
		renameLimit(func(r *request) (_, _ *int) { return &r.MaxTokens, &r.MaxCompletionTokens })},
	{"max_completion_tokens", refusesParameter("max_completion_tokens"),
		renameLimit(func(r *request) (_, _ *int) { return &r.MaxCompletionTokens, &r.MaxTokens })},
	{"reasoning_effort", refusesParameter("reasoning_effort", "reasoning.effort", "does not support thinking", "reasoning value"),
		clearField(func(r *request) *string { return &r.ReasoningEffort })},
	{"reasoning", refusesParameter("reasoning"), clearField(func(r *request) **reasoning { return &r.Reasoning })},
	{"chat_template_kwargs", refusesParameter("chat_template_kwargs", "enable_thinking", "chat_template"),
		clearField(func(r *request) **templateArguments { return &r.TemplateArguments })},
	{"prompt_cache_retention", refusesParameter("prompt_cache_retention"), clearField(func(r *request) *string { return &r.CacheRetention })},
	{"prompt_cache_key", refusesParameter("prompt_cache_key"), clearField(func(r *request) *string { return &r.CacheKey })},
	{"cache_control", refusesParameter("cache_control"), removeMarks},
	{pictureParts, refusesPictures, withoutPictures(remote.ReasonNoPictures)},
	{currentPictures, refusesPicture, withoutPictures(remote.ReasonUnusablePicture)},
	{nativeTools, isNoTools, toolsAsText},
}

// pictureParts names the optional part for pictures. Models without vision refuse it.
const pictureParts = "pictures"

// nativeTools names the optional part for tools. If it is refused, tools move into the text.
const nativeTools = "tools"

func optionalPartsOf(s server) []optionalPart {
	return slices.DeleteFunc(slices.Clone(optionalParts), func(d optionalPart) bool { return d.name == nativeTools && !s.textTools })
}

func clearField[T comparable](field func(*request) *T) func(*request) bool {
	return func(r *request) bool {
		var none T
		had := *field(r) != none
		*field(r) = none
		return had
	}
}

// refusesParameter returns a matcher for refusals of the parameter words[0]. It compares the
// refusal's parameter, and looks for any of the words in the text. A refusal of a too long
// conversation does not match.
func refusesParameter(words ...string) func(*remote.Refusal) bool {
	return func(f *remote.Refusal) bool {
		if (f.Status != http.StatusBadRequest && f.Status != http.StatusUnprocessableEntity) || isTooLong(f) {
			return false
		}
		root, _, _ := strings.Cut(f.Param, ".")
		text := strings.ToLower(f.Text)
		return root == words[0] || slices.ContainsFunc(words, func(w string) bool { return hasWord(text, w) })
	}
}

// hasWord reports whether text contains word as a whole name, not as a part of another name.
func hasWord(text, word string) bool {
	for {
		at := strings.Index(text, word)
		if at < 0 {
			return false
		}
		after := text[at+len(word):]
		if (at == 0 || !inName(text[at-1])) && (after == "" || !inName(after[0])) {
			return true
		}
		text = after
	}
}

func inName(c byte) bool {
	return c == '_' || ('a' <= c && c <= 'z') || ('0' <= c && c <= '9')
}

// dropLearned removes the parts from r that the model has refused before.
func (p *Provider) dropLearned(r *request) {
	refused := p.refused.Get(r.Model)
	for _, part := range p.optional {
		if slices.Contains(refused, part.name) {
			part.removeFrom(r)
		}
	}
}

// thinksUnasked reports whether a model may think without a request for it. That is possible if the
// model refused the parameter for thinking.
func (p *Provider) thinksUnasked(model string) bool {
	return slices.Contains(p.refused.Get(model), "reasoning_effort")
}

// learn reports whether err refuses an optional part of r. If so, it removes the part from r and
// from later requests to the model. A removed part can't be refused again, so retries end.
func (p *Provider) learn(r *request, err error) bool {
	f := remote.FindRefusal(err)
	if f == nil {
		return false
	}
	if p.lowerLimit(r, f) {
		return true
	}
	for _, part := range p.optional {
		if !part.refused(f) || !part.removeFrom(r) {
			continue
		}
		log := p.Log.With("provider", p.Name, "model", r.Model, "parameter", part.name, "status", f.Status)
		if part.name == currentPictures || part.name == currentReturned {
			log.Warn("a model could not use a part of a conversation; it is asked without, this time")
			return true
		}
		p.remember(r.Model, part.name)
		log.Info("a model takes no such parameter; it is left out from now on")
		return true
	}
	return false
}

// remember removes a part from all later requests to a model.
func (p *Provider) remember(model, part string) {
	p.refused.Update(model, func(parts []string) []string {
		if slices.Contains(parts, part) {
			return parts
		}
		return append(slices.Clip(parts), part)
	})
}
