package openai

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"mews/supervisor/model/remote"
)

// optionalPart is a part of a request that an answer does not depend on. Where an endpoint refuses it, the request is made
// again without it.
type optionalPart struct {
	name    string
	refused func(*failure) bool
	drop    func(*request) bool // false: it was not there
}

var optionalParts = []optionalPart{
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
	{"pictures", refusesPictures, withoutPictures(remote.ReasonNoPictures)},
	{thesePictures, refusesPicture, withoutPictures(remote.ReasonUnusable)},
	{nativeTools, isNoTools, toolsAsText},
}

// nativeTools is the droppable that is not simply left out, but told in text.
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

// refusesParameter is a refusal for the parameter's sake: by its param, or by one of the words in its text. A conversation that is
// too long, with what the answer may have, is not one.
func refusesParameter(words ...string) func(*failure) bool {
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

// maxLearned bounds the models that are remembered. Their names come from people.
const maxLearned = 256

// learned is what each model has refused, until the program ends. The zero value knows nothing.
type learned struct {
	mu      sync.Mutex
	refused map[string][]string // by model
	most    map[string]int      // tokens that it may say, by model
}

func (k *learned) add(model, name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.refused == nil || len(k.refused) >= maxLearned {
		k.refused = map[string][]string{}
	}
	if !slices.Contains(k.refused[model], name) {
		k.refused[model] = append(slices.Clip(k.refused[model]), name)
	}
}

func (k *learned) of(model string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refused[model]
}

// dropLearned leaves out of r what its model has refused before.
func (p *Provider) dropLearned(r *request) {
	for _, name := range p.learned.of(r.Model) {
		i := slices.IndexFunc(p.optionalParts, func(d optionalPart) bool { return d.name == name })
		p.optionalParts[i].drop(r)
	}
}

// learn says whether err refuses something of r that can be left out, and leaves it out, now and from now on. What is
// left out cannot be refused again, so that this ends.
func (p *Provider) learn(r *request, err error) bool {
	f := new(failure)
	if !errors.As(err, &f) {
		return false
	}
	if p.lowerLimit(r, f) {
		return true
	}
	for _, d := range p.optionalParts {
		if !d.refused(f) || !d.drop(r) {
			continue
		}
		log := p.log.With("provider", p.name, "model", r.Model, "parameter", d.name, "status", f.status, "request", f.request)
		if d.name == thesePictures {
			log.Warn("a model could not use a picture; it is asked without any, this time")
			return true
		}
		p.learned.add(r.Model, d.name)
		log.Info("a model takes no such parameter; it is left out from now on")
		return true
	}
	return false
}
