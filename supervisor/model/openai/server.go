package openai

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mews/supervisor/modelcall"
)

// server describes how one kind of endpoint differs from the other kinds. Further limits are
// learned, see learned.go.
type server struct {
	name       string   // as in Options.Server
	hosts      []string // a base URL with one of these hosts, or one below them, is this server
	port       string   // default port; it decides if no row has the host
	owner      string   // owned_by of the server's models; "" if other servers rarely use its port
	notForChat []string // words in the names of its models that are not for chat
	limit      func(*request, int)
	think      func(*request, modelcall.Thinking)
	cache      func(*request, modelcall.Request) // nil if the server caches by itself, or not at all
	// the server's models call one tool at a time unless parallel calls are requested
	parallel bool
	// models without native tools get a description of the tools in text
	textTools bool
	thinkTags bool // the server may leave <think> in the text
	// the chunks' id is the id of the request for the server's support
	idInBody bool
}

// genericServer is an unknown endpoint. It gets only parameters that all endpoints take.
const genericServer = "any"

// llamaOwner is owned_by of llama.cpp's models.
const llamaOwner = "llamacpp"

// servers has the known servers, from their own documentation and sources in November 2026.
var servers = []server{
	{name: "openai", hosts: []string{"api.openai.com"}, think: effort("none"), limit: limitCompletion, cache: cacheByKey,
		notForChat: []string{"embedding", "whisper", "tts", "dall-e", "moderation", "transcribe", "realtime", "audio", "image",
			"sora", "davinci", "babbage"}},
	{name: "groq", hosts: []string{"api.groq.com"}, think: effort("none"), limit: limitCompletion,
		textTools: true, thinkTags: true, notForChat: []string{"whisper", "tts"}},
	{name: "deepinfra", hosts: []string{"deepinfra.com"}, think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true},
	{name: "openrouter", hosts: []string{"openrouter.ai"}, think: reasoningObject, limit: limitTokens, cache: cacheByMarks,
		textTools: true, idInBody: true},
	{name: "ollama", port: "11434", think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true, notForChat: []string{"embed"}},
	{name: "llama.cpp", port: "8080", owner: llamaOwner, think: templateArgument, limit: limitTokens, parallel: true,
		textTools: true, thinkTags: true},
	{name: "lmstudio", port: "1234", think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true, notForChat: []string{"embed"}},
	{name: "vllm", port: "8000", owner: "vllm", think: templateArgument, limit: limitTokens,
		textTools: true, thinkTags: true},
	{name: genericServer, think: effort(""), limit: limitTokens, textTools: true, thinkTags: true},
}

// Servers returns the names that Options.Server takes.
func Servers() []string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.name
	}
	return names
}

// serverAt returns the server of that name, or the one that base looks like.
func serverAt(name string, base *url.URL) (server, error) {
	is := func(s server) bool { return s.name == name }
	if name == "" {
		is = func(s server) bool { return s.at(base) }
	}
	i := slices.IndexFunc(servers, is)
	if i < 0 {
		return server{}, fmt.Errorf("server %q; there are %s", name, strings.Join(Servers(), ", "))
	}
	return servers[i], nil
}

func (s server) at(base *url.URL) bool {
	host := strings.ToLower(base.Hostname())
	named := slices.ContainsFunc(s.hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) })
	return named || s.name == genericServer || (s.port != "" && s.port == base.Port())
}

// isForChat reports whether a model of s is for chat, judged by its name.
func (s server) isForChat(model string) bool {
	name := strings.ToLower(model)
	return !slices.ContainsFunc(s.notForChat, func(h string) bool { return strings.Contains(name, h) })
}

func limitTokens(r *request, n int)     { r.MaxTokens = n }
func limitCompletion(r *request, n int) { r.MaxCompletionTokens = n }

// effort returns a function that sets reasoning_effort. off is the parameter's value for no
// thinking; "" leaves the parameter out.
func effort(off string) func(*request, modelcall.Thinking) {
	return func(r *request, t modelcall.Thinking) {
		r.ReasoningEffort = string(t)
		if thinksNot(t) {
			r.ReasoningEffort = off
		}
	}
}

// reasoningObject sets OpenRouter's parameter for thinking.
func reasoningObject(r *request, t modelcall.Thinking) {
	r.Reasoning = &reasoning{Effort: string(t)}
	if thinksNot(t) {
		r.Reasoning.Effort = "none"
	}
}

// templateArgument sets arguments of the model's own chat template. Qwen and similar models know
// the first argument, gpt-oss the second. Each ignores the other one.
func templateArgument(r *request, t modelcall.Thinking) {
	r.TemplateArguments = &templateArguments{EnableThinking: !thinksNot(t)}
	if !thinksNot(t) {
		r.TemplateArguments.ReasoningEffort = string(t)
	}
}

func thinksNot(t modelcall.Thinking) bool { return t == "" || t == modelcall.ThinkingOff }
