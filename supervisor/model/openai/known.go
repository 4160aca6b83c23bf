package openai

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"mews/supervisor/model/remote"
)

// droppable is a part of a request that an answer does not depend on. Where an endpoint refuses it, the request is made
// again without it.
type droppable struct {
	name    string
	refused func(*failure) bool
	drop    func(*request) bool // false: it was not there
}

var droppables = []droppable{
	{"stream_options", names("stream_options"), zero(func(r *request) **streamOptions { return &r.StreamOptions })},
	{"parallel_tool_calls", names("parallel_tool_calls"), zero(func(r *request) *bool { return &r.ParallelCalls })},
	{"max_tokens", names("max_tokens"),
		renameLimit(func(r *request) (_, _ *int) { return &r.MaxTokens, &r.MaxCompletionTokens })},
	{"max_completion_tokens", names("max_completion_tokens"),
		renameLimit(func(r *request) (_, _ *int) { return &r.MaxCompletionTokens, &r.MaxTokens })},
	{"reasoning_effort", names("reasoning_effort", "reasoning.effort", "does not support thinking", "reasoning value"),
		zero(func(r *request) *string { return &r.ReasoningEffort })},
	{"reasoning", names("reasoning"), zero(func(r *request) **reasoning { return &r.Reasoning })},
	{"chat_template_kwargs", names("chat_template_kwargs", "enable_thinking", "chat_template"),
		zero(func(r *request) **templateArguments { return &r.TemplateArguments })},
	{"prompt_cache_retention", names("prompt_cache_retention"), zero(func(r *request) *string { return &r.CacheRetention })},
	{"prompt_cache_key", names("prompt_cache_key"), zero(func(r *request) *string { return &r.CacheKey })},
	{"cache_control", names("cache_control"), unmark},
	{"pictures", isBlind, withoutPictures(remote.WhyBlind)},
	{thesePictures, isUnseen, withoutPictures(remote.WhyUnseen)},
	{nativeTools, isNoTools, tellTools},
}

// nativeTools is the droppable that is not simply left out, but told in text.
const nativeTools = "tools"

func droppablesOf(s server) []droppable {
	return slices.DeleteFunc(slices.Clone(droppables), func(d droppable) bool { return d.name == nativeTools && !s.tellsTools })
}

func zero[T comparable](field func(*request) *T) func(*request) bool {
	return func(r *request) bool {
		var none T
		had := *field(r) != none
		*field(r) = none
		return had
	}
}

// names is a refusal for the parameter's sake: by its param, or by one of the words in its text. A conversation that is
// too long, with what the answer may have, is not one.
func names(words ...string) func(*failure) bool {
	return func(f *failure) bool {
		if (f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity) || isTooLong(f) {
			return false
		}
		root, _, _ := strings.Cut(f.param, ".")
		text := strings.ToLower(f.text)
		return root == words[0] || slices.ContainsFunc(words, func(w string) bool { return hasWord(text, w) })
	}
}

// hasWord finds a word that is not a part of another name.
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

// maxKnown bounds the models that are remembered. Their names come from people.
const maxKnown = 256

// known is what each model has refused, until the program ends. The zero value knows nothing.
type known struct {
	mu      sync.Mutex
	refused map[string][]string // by model
	most    map[string]int      // tokens that it may say, by model
}

func (k *known) add(model, name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil || len(k.refused) >= maxKnown {
		k.refused = map[string][]string{}
	}
	if !slices.Contains(k.refused[model], name) {
		k.refused[model] = append(slices.Clip(k.refused[model]), name)
	}
}

func (k *known) of(model string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused[model]
}

// forget leaves out of r what its model has refused before.
func (p *Provider) forget(r *request) {
	for _, name := range p.known.of(r.Model) {
		i := slices.IndexFunc(p.droppables, func(d droppable) bool { return d.name == name })
		p.droppables[i].drop(r)
	}
}

// learn says whether err refuses something of r that can be left out, and leaves it out, now and from now on. What is
// left out cannot be refused again, so that this ends.
func (p *Provider) learn(r *request, err error) bool {
	f := new(failure)
	if !errors.As(err, &f) {
		return false
	}
	if p.lower(r, f) {
		return true
	}
	for _, d := range p.droppables {
		if !d.refused(f) || !d.drop(r) {
			continue
		}
		log := p.log.With("provider", p.name, "model", r.Model, "parameter", d.name, "status", f.status, "request", f.request)
		if d.name == thesePictures {
			log.Warn("a model could not use a picture; it is asked without any, this time")
			return true
		}
		p.known.add(r.Model, d.name)
		log.Info("a model takes no such parameter; it is left out from now on")
		return true
	}
	return false
}
