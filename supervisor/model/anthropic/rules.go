package anthropic

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
	remote.OnRefusal(isCredit, supervisor.ModelCredit,
		`The account at {provider} has no credit left, or has reached its spending limit. `+
			`See to its billing, or use another provider's model.`),
	remote.OnRefusal(isKeyless, supervisor.ModelAuth,
		`{provider} wants an API key, and none was accepted. `+
			`Check its api_key in the configuration and start Mews again.`),
	remote.OnRefusal(isForbidden, supervisor.ModelAuth,
		`{provider} does not let this API key use {model}. `+
			`Use another model, or a key that may.`),
	remote.OnRefusal(isNoTools, supervisor.ModelNoTools,
		`{model} of {provider} cannot use tools, and Mews needs them. `+
			`Use a model that can.`),
	remote.OnRefusal(isNoModel, supervisor.ModelMissing,
		`{provider} at {host} does not have {model}. `+
			`Check its name; mews models lists those that there are.`),
	remote.OnRefusal(isNoAPI, supervisor.ModelMissing,
		`What answers at {host} is not Anthropic's API (HTTP {status}). `+
			`Check the base_url of {provider}.`),
	remote.OnRefusal(isLimited, supervisor.ModelRateLimited,
		`{provider} has had too many requests and lets no `+
			`more through for now. {again}`),
	remote.OnRefusal(isOverloaded, supervisor.ModelOverloaded,
		`{provider} has more to do than it can for now. {again}`),
	remote.OnRefusal(isTheirs, supervisor.ModelServer,
		`{provider} has trouble of its own. {again}`),
	remote.OnRefusal(isBlocked, supervisor.ModelFiltered,
		`The content filter of {provider} stopped the answer. `+
			`Say it differently, or use another model.`),
	remote.OnRefusal(isNoThinking, supervisor.ModelRefused,
		`{model} of {provider} cannot think in the way that it was told to. `+
			`Set models.thinking to off, or use another model.`),
	remote.OnRefusal(isStreamed, supervisor.ModelRefused,
		`{provider} broke off the answer of {model}. Send the message again; the log at level debug has what it said.`),
	remote.OnRefusal(remote.Any[*failure], supervisor.ModelRefused,
		`{provider} refused the request for {model} as wrong (HTTP {status}). Use another model; the log at level debug has what it said.`),

	remote.OnError(errUnfit, supervisor.ModelRefused,
		`This conversation could not be put into words for {model} of {provider}. `+
			`Start a new one with /new; the log says what was wrong.`),
	remote.OnIdle,
	remote.OnError(errTooBig, supervisor.ModelMalformed,
		`The answer of {model} of {provider} grew beyond 512 KiB and was `+
			`broken off. Ask for less at a time.`),
	remote.OnError(errCutOff, supervisor.ModelCut,
		`The answer of {model} of {provider} was cut off before its end. `+
			`Send the message again.`),
	remote.OnError(errNotEvent, supervisor.ModelMalformed,
		`{provider} at {host} sent something that is not an answer of Anthropic's API. `+
			`Check its base_url and its version.`),
	remote.OnError(errFiltered, supervisor.ModelFiltered,
		`{model} of {provider} declined to answer this. `+
			`Say it differently, or use another model.`),
	remote.OnError(errNoRoom, supervisor.ModelNoRoom,
		`{model} of {provider} reached the limit of what it may say before it `+
			`said anything. Let it think less, raise its limit of output tokens, or use another model.`),
	remote.OnError(errFull, supervisor.ModelTooLong,
		`This conversation fills all that {model} of {provider} can take, and leaves no room for an answer. `+
			`Start a new one with /new, or use a model with a larger context.`),
	remote.OnError(errEmpty, supervisor.ModelEmpty,
		`{model} of {provider} answered with nothing. `+
			`Send the message again, or say it differently.`),
	remote.OnError(errNoName, supervisor.ModelMalformed,
		`{model} of {provider} called a tool without naming it. `+
			`Send the message again, or use another model.`),
}, remote.NetworkRules(`Check this machine's network.`)...)

// isTooLong: a request of too many bytes, and the words for one of too many tokens.
func isTooLong(f *failure) bool {
	return f.status == http.StatusRequestEntityTooLarge || f.kind == "request_too_large" ||
		f.saysAny("prompt is too long", "exceed context limit", "context window", "context length", "maximum context")
}

// isCredit: the API answers 400 where prepaid credit is gone or a limit that the owner has set is reached, and 429 where
// it is the limit of the account's tier.
func isCredit(f *failure) bool {
	return f.status == http.StatusPaymentRequired || f.kind == "billing_error" ||
		f.saysAny("credit balance", "specified api usage limits", "spend limit", "spending limit")
}

func isKeyless(f *failure) bool {
	return f.status == http.StatusUnauthorized || f.kind == "authentication_error"
}

func isForbidden(f *failure) bool {
	return f.status == http.StatusForbidden || f.kind == "permission_error"
}

// isNoTools: the words of servers that speak this API for models of others.
func isNoTools(f *failure) bool {
	return f.saysAny("does not support tools", "tools are not supported", "does not support tool use")
}

func isNoModel(f *failure) bool {
	return (f.status == http.StatusNotFound || f.kind == "not_found_error") && f.saysAny("model")
}

// isNoAPI: a page, a redirect, or an answer that should have been a stream.
func isNoAPI(f *failure) bool {
	return f.moved || f.status == http.StatusNotFound || f.status == http.StatusMethodNotAllowed ||
		(f.status == http.StatusOK && f.text == "")
}

func isLimited(f *failure) bool {
	return f.status == http.StatusTooManyRequests || f.kind == "rate_limit_error"
}

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

func isOverloaded(f *failure) bool {
	return f.status == statusOverloaded || f.status == http.StatusServiceUnavailable || f.kind == "overloaded_error"
}

func isTheirs(f *failure) bool {
	return f.status >= 500 || f.status == http.StatusRequestTimeout ||
		slices.Contains([]string{"api_error", "timeout_error"}, f.kind)
}

func isBlocked(f *failure) bool { return f.saysAny("content filtering policy") }

func isNoThinking(f *failure) bool {
	return f.saysAny("thinking", "effort") && f.saysAny("not support") // or: is not supported
}

func isStreamed(f *failure) bool { return f.status == 0 || f.status == http.StatusOK }
