package openai

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"mews/supervisor/modelcall"
)

// server describes one kind of endpoint: how it differs from other kinds. Further differences are
// learned, see learned.go.
type server struct {
	name       string   // name of the server, for Options.Server
	hosts      []string // hosts of this server, without their subdomains, which belong to it too
	port       string   // default port; it identifies the server unless the host is known
	owner      string   // owned_by in the server's list of models; "" if no other server uses the same port
	notForChat []string // words in the names of models that are not for chat
	limit      func(*request, int)
	think      func(*request, modelcall.ThinkingLevel)
	cache      func(*request, modelcall.Request) // requests caching; nil if the server caches by itself or not at all
	// this server makes parallel tool calls only if the request asks for them
	parallel bool
	// models without native tools get a description of the tools in the system text
	textTools bool
	thinkTags bool // the text may contain thinking in <think> tags
	// the id of the chunks is the request's id for the server's support
	idInBody bool
	// parts of an answer that later requests return to this server, by their names on the wire
	returns []string
	// changes calls of other models, which lack the returned parts; nil if the server accepts these
	// calls
	foreign func(*request)
}

// genericServer is an unknown endpoint. It gets only parameters that all endpoints know.
const genericServer = "any"

// llamaOwner is owned_by in llama.cpp's list of models.
const llamaOwner = "llamacpp"

// servers are the known servers, by their documentation and source code of November 2026.
var servers = []server{
	{name: "openai", hosts: []string{"api.openai.com"}, think: effort("none"), limit: limitCompletion, cache: cacheByKey,
		notForChat: []string{"embedding", "whisper", "tts", "dall-e", "moderation", "transcribe", "realtime", "audio", "image",
			"sora", "davinci", "babbage"}},
	{name: "gemini", hosts: []string{"googleapis.com"}, think: effort(""),
		limit: limitTokens, notForChat: []string{"embedding", "imagen", "image", "veo", "tts", "live", "aqa"},
		returns: []string{extraContent}, foreign: setStandIns},
	{name: "deepseek", hosts: []string{"api.deepseek.com"}, think: switchAndEffort, limit: limitTokens,
		returns: []string{reasoningContent}, foreign: foreignAsText},
	{name: "moonshot", hosts: []string{"api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"}, think: switchThinking,
		limit: limitTokens, returns: []string{reasoningContent}, foreign: foreignAsText},
	{name: "groq", hosts: []string{"api.groq.com"}, think: effort("none"), limit: limitCompletion,
		textTools: true, thinkTags: true, notForChat: []string{"whisper", "tts"}},
	{name: "deepinfra", hosts: []string{"deepinfra.com"}, think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true},
	{name: "openrouter", hosts: []string{"openrouter.ai"}, think: reasoningObject, limit: limitTokens, cache: cacheByMarks,
		textTools: true, idInBody: true, returns: []string{reasoningDetails}},
	{name: "ollama", port: "11434", think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true, notForChat: []string{"embed"}},
	{name: "llama.cpp", port: "8080", owner: llamaOwner, think: templateArgument, limit: limitTokens, parallel: true,
		textTools: true, thinkTags: true},
	{name: "lmstudio", port: "1234", think: effort("none"), limit: limitTokens,
		textTools: true, thinkTags: true, notForChat: []string{"embed"}},
	{name: "vllm", port: "8000", owner: "vllm", think: templateArgument, limit: limitTokens,
		textTools: true, thinkTags: true},
	{name: genericServer, think: effort(""), limit: limitTokens, textTools: true, thinkTags: true,
		returns: []string{extraContent, reasoningContent, reasoningDetails}},
}

// ServerNames returns the allowed names for Options.Server.
func ServerNames() []string {
	names := make([]string, len(servers))
	for i, s := range servers {
		names[i] = s.name
	}
	return names
}

// serverAt returns the server with a name, or the server that a base URL belongs to.
func serverAt(name string, base *url.URL) (server, error) {
	is := func(s server) bool { return s.name == name }
	if name == "" {
		is = func(s server) bool { return s.at(base) }
	}
	i := slices.IndexFunc(servers, is)
	if i < 0 {
		return server{}, fmt.Errorf("server %q; there are %s", name, strings.Join(ServerNames(), ", "))
	}
	return servers[i], nil
}

func (s server) at(base *url.URL) bool {
	host := strings.ToLower(base.Hostname())
	named := slices.ContainsFunc(s.hosts, func(h string) bool { return host == h || strings.HasSuffix(host, "."+h) })
	return named || s.name == genericServer || (s.port != "" && s.port == base.Port())
}

// isForChat reports whether a model is for chat, by its name.
func (s server) isForChat(model string) bool {
	name := strings.ToLower(model)
	return !slices.ContainsFunc(s.notForChat, func(h string) bool { return strings.Contains(name, h) })
}

func limitTokens(r *request, n int)     { r.MaxTokens = n }
func limitCompletion(r *request, n int) { r.MaxCompletionTokens = n }

// effort returns a function that sets reasoning_effort. off is the value for no thinking; "" leaves
// the parameter out.
func effort(off string) func(*request, modelcall.ThinkingLevel) {
	return func(r *request, t modelcall.ThinkingLevel) {
		r.ReasoningEffort = string(t)
		if thinksNot(t) {
			r.ReasoningEffort = off
		}
	}
}

// reasoningObject sets OpenRouter's parameter for thinking.
func reasoningObject(r *request, t modelcall.ThinkingLevel) {
	r.Reasoning = &reasoning{Effort: string(t)}
	if thinksNot(t) {
		r.Reasoning.Effort = "none"
	}
}

// switchThinking sets the parameter of DeepSeek and Moonshot for thinking. Both think by default.
func switchThinking(r *request, t modelcall.ThinkingLevel) {
	r.Thinking = &thinkingSwitch{"enabled"}
	if thinksNot(t) {
		r.Thinking.Type = "disabled"
	}
}

func switchAndEffort(r *request, t modelcall.ThinkingLevel) {
	switchThinking(r, t)
	effort("")(r, t)
}

// templateArgument sets arguments of the model's chat template. Qwen and similar models use the
// first argument, gpt-oss the second. Each ignores the other argument.
func templateArgument(r *request, t modelcall.ThinkingLevel) {
	r.TemplateArguments = &templateArguments{EnableThinking: !thinksNot(t)}
	if !thinksNot(t) {
		r.TemplateArguments.ReasoningEffort = string(t)
	}
}

func thinksNot(t modelcall.ThinkingLevel) bool { return t == "" || t == modelcall.ThinkingOff }
