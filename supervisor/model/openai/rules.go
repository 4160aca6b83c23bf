package openai

import (
	"net/http"
	"slices"

	"mews/supervisor"
	"mews/supervisor/model/remote"
)

// errorRules are tried in order; the last takes all.
var errorRules = append([]remote.ErrorRule{
	remote.OnRefusal(isTooLong, supervisor.ModelTooLong,
		`This conversation is longer than {model} of {provider} can take. `+
			`Start a new one with /new, or use a model with a larger context.`),
	remote.OnRefusal(isQuota, supervisor.ModelCredit,
		`The account at {provider} has no credit left for {model}. `+
			`See to its billing, or use another model.`),
	remote.OnRefusal(isKeyless, supervisor.ModelAuth,
		`{provider} wants an API key, and none was accepted. `+
			`Check its api_key in the configuration and start Mews again.`),
	remote.OnRefusal(isFiltered, supervisor.ModelFiltered,
		`The content filter of {provider} stopped the request. `+
			`Say it differently, or use another model.`),
	remote.OnRefusal(status(http.StatusForbidden), supervisor.ModelAuth,
		`{provider} does not let this API key use {model}. `+
			`Use another model, or a key that may.`),
	remote.OnRefusal(isNoTools, supervisor.ModelNoTools,
		`{model} of {provider} cannot use tools, and Mews needs them. `+
			`Use a model that can.`),
	remote.OnRefusal(isNoModel, supervisor.ModelMissing,
		`{provider} at {host} has no model {name}. `+
			`Check its name, or fetch it there first (with Ollama: ollama pull NAME).`),
	remote.OnRefusal(isNoAPI, supervisor.ModelMissing,
		`What answers at {host} is not an OpenAI-compatible API (HTTP {status}). `+
			`Check the base_url of {provider}; it usually ends in /v1.`),
	remote.OnRefusal(status(http.StatusTooManyRequests), supervisor.ModelRateLimited,
		`{provider} has had too many requests and lets no `+
			`more through for now. {again}`),
	remote.OnRefusal(isLoading, supervisor.ModelOverloaded,
		`{provider} is still loading {model}. {again}`),
	remote.OnRefusal(isBusy, supervisor.ModelOverloaded,
		`{provider} has more to do than it can at the moment. {again}`),
	remote.OnRefusal(isTheirs, supervisor.ModelServer,
		`{provider} has trouble of its own (HTTP {status}). {again}`),
	remote.OnRefusal(isStreamed, supervisor.ModelServer,
		`{provider} broke off the answer of {model} for trouble of its own. {again}`),
	remote.OnRefusal(remote.Any[*failure], supervisor.ModelRefused,
		`{provider} refused the request for {model} as wrong (HTTP {status}). `+
			`Use another model; the log at level debug has what {provider} said.`),

	remote.OnIdle,
	remote.OnError(errBroken, supervisor.ModelServer,
		`{provider} broke off the answer of {model} for trouble of its own. {again}`),
	remote.OnError(errUnspoken, supervisor.ModelNetwork,
		`The connection to {provider} at {host} ended before {model} said anything. `+
			`Send the message again in a minute.`),
	remote.OnError(errTooLong, supervisor.ModelMalformed,
		`The answer of {model} of {provider} grew beyond all measure and was `+
			`broken off. Ask for less at a time.`),
	remote.OnError(errCutOff, supervisor.ModelCut,
		`The answer of {model} of {provider} was cut off before its end. `+
			`Send the message again.`),
	remote.OnError(errNotChunk, supervisor.ModelMalformed,
		`{provider} at {host} sent something that is not an answer of the OpenAI API. `+
			`Check its base_url and its version.`),
	remote.OnError(errFiltered, supervisor.ModelFiltered,
		`The content filter of {provider} stopped the answer. `+
			`Say it differently, or use another model.`),
	remote.OnError(errNoRoom, supervisor.ModelNoRoom,
		`{model} of {provider} reached the limit of what it may say before it `+
			`said anything. Raise its limit of output tokens or its context, or use another model.`),
	remote.OnError(errEmpty, supervisor.ModelEmpty,
		`{model} of {provider} answered with nothing. `+
			`Send the message again, or say it differently.`),
	remote.OnError(errNoName, supervisor.ModelMalformed,
		`{model} of {provider} called a tool without naming it. `+
			`Send the message again, or use another model.`),
	remote.OnError(errUnsendable, supervisor.ModelRefused,
		`This conversation holds something that cannot be written for {provider}. `+
			`Start a new one with /new; the log says what it is.`),
}, remote.NetworkRules(`Is it running there?`)...)

func status(code int) func(*failure) bool {
	return func(f *failure) bool { return f.status == code }
}

// isTooLong: OpenAI's code, llama.cpp's type, and the words of the others. What is too large for a minute's tokens is no
// smaller in the next.
func isTooLong(f *failure) bool {
	if f.code == "context_length_exceeded" || f.code == "exceed_context_size_error" ||
		f.status == http.StatusRequestEntityTooLarge {
		return true
	}
	return f.saysAny("context length", "context size", "context window", "prompt is too long", "input is too long",
		"maximum context", "maximum model length", "request too large", "reduce the length")
}

func isQuota(f *failure) bool {
	return f.status == http.StatusPaymentRequired || slices.Contains(quotaCodes, f.code)
}

// quotaCodes are OpenAI's.
var quotaCodes = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}

func isKeyless(f *failure) bool {
	return f.status == http.StatusUnauthorized || f.code == "invalid_api_key"
}

// isFiltered: Azure's and OpenAI's codes, and OpenRouter's words, which come with 403.
func isFiltered(f *failure) bool {
	return f.code == "content_filter" || f.code == "content_policy_violation" ||
		(f.status == http.StatusForbidden && f.saysAny("flagged", "moderation"))
}

// isNoTools: the words of Ollama, of vLLM and llama.cpp for a server that was started without a parser for tool calls,
// and of OpenRouter, Groq and OpenAI.
func isNoTools(f *failure) bool {
	return f.saysAny("does not support tools", "--enable-auto-tool-choice", "requires --jinja", "tools are not supported",
		"support tool use", "tool calling` is not supported", "'tools' is not supported", "tools is not supported")
}

func isNoModel(f *failure) bool {
	return !f.listing && (f.code == "model_not_found" || f.saysAny("not a valid model") ||
		(f.status == http.StatusNotFound && f.saysAny("model")))
}

// isNoAPI: a page, a redirect, or an answer that should have been a stream.
func isNoAPI(f *failure) bool {
	return f.moved || f.status == http.StatusNotFound || f.status == http.StatusMethodNotAllowed ||
		(f.status == http.StatusOK && f.text == "")
}

// isLoading: llama.cpp's words.
func isLoading(f *failure) bool {
	return f.status == http.StatusServiceUnavailable && f.saysAny("loading model")
}

// statusOverloaded and statusNoCapacity are no standard's: Anthropic's, behind OpenRouter, and Groq's.
const (
	statusOverloaded = 529
	statusNoCapacity = 498
)

// isBusy: 503 with a body of the API's; a proxy before a server that is gone has none.
func isBusy(f *failure) bool {
	return f.status == statusOverloaded || f.status == statusNoCapacity ||
		(f.status == http.StatusServiceUnavailable && f.text != "") ||
		(f.status >= 500 && f.saysAny("overloaded", "server busy", "at capacity"))
}

func isTheirs(f *failure) bool {
	return f.status == http.StatusRequestTimeout || (f.status >= 500 && !f.stream)
}

func isStreamed(f *failure) bool {
	return f.status == 0 || f.status == http.StatusOK || (f.stream && f.status >= 500)
}
