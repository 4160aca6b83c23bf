package openai

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"

	"mews/supervisor"
)

// trouble is a class of errors and what a person is told of it. {model}, {provider}, {host}, {text}, {status}, {wait}
// and {again} are filled in.
type trouble struct {
	is   func(error) bool
	code supervisor.Code
	says string
}

// troubles are tried in order; the last takes all.
var troubles = []trouble{
	{failed(isTooLong), supervisor.CodeModel,
		`This conversation is longer than the model {model} of {provider} can take. ` +
			`Start a new one with /new, or use a model with a larger context.`},
	{failed(isQuota), supervisor.CodeModel,
		`The account at {provider} has no credit left for the model {model}. ` +
			`See to its billing, or use another model.`},
	{failed(isKeyless), supervisor.CodeModel,
		`{provider} wants an API key, and none was accepted. ` +
			`Check its api_key in the configuration and start Mews again.`},
	{status(http.StatusForbidden), supervisor.CodeModel,
		`{provider} does not let this API key use the model {model}. ` +
			`Use another model, or a key that may.`},
	{failed(isNoTools), supervisor.CodeModel,
		`The model {model} of {provider} cannot use tools, and Mews needs them. ` +
			`Use a model that can.`},
	{failed(isNoModel), supervisor.CodeModel,
		`{provider} at {host} has no model {model}. ` +
			`Check its name, or fetch it there first (with Ollama: ollama pull NAME).`},
	{failed(isNoAPI), supervisor.CodeModel,
		`What answers at {host} is not an OpenAI-compatible API (HTTP {status}). ` +
			`Check the base_url of {provider}; it usually ends in /v1.`},
	{status(http.StatusTooManyRequests), supervisor.CodeUnavailable,
		`{provider} has had too many requests and lets no ` +
			`more through for now. {again}`},
	{failed(isLoading), supervisor.CodeUnavailable,
		`{provider} is still loading the model {model}. {again}`},
	{failed(isTheirs), supervisor.CodeUnavailable,
		`{provider} has trouble of its own (HTTP {status}). {again}`},
	{failed(isStreamed), supervisor.CodeModel,
		`{provider} broke off the answer of the model {model}: {text}`},
	{failed(isAny), supervisor.CodeModel,
		`{provider} refused the request for the model {model} (HTTP {status}): {text}`},

	{isSilent, supervisor.CodeUnavailable,
		`The model {model} of {provider} at {host} has stopped answering: nothing ` +
			`came for {wait}. Send the message again, or see whether {provider} is well.`},
	{is(errCutOff), supervisor.CodeUnavailable,
		`The answer of the model {model} of {provider} was cut off before its end. ` +
			`Send the message again.`},
	{is(errTooLong), supervisor.CodeModel,
		`The answer of the model {model} of {provider} grew beyond 512 KiB and was ` +
			`broken off. Ask for less at a time.`},
	{is(errNotChunk), supervisor.CodeModel,
		`{provider} at {host} sent something that is not an answer of the OpenAI API. ` +
			`Check its base_url and its version.`},
	{is(errFiltered), supervisor.CodeModel,
		`The content filter of {provider} stopped the answer. ` +
			`Say it differently, or use another model.`},
	{is(errNoRoom), supervisor.CodeModel,
		`The model {model} of {provider} reached the limit of what it may say before it ` +
			`said anything. Raise its limit of output tokens or its context, or use another model.`},
	{is(errEmpty), supervisor.CodeModel,
		`The model {model} of {provider} answered with nothing. ` +
			`Send the message again, or say it differently.`},
	{is(errNoName), supervisor.CodeModel,
		`The model {model} of {provider} called a tool without naming it. ` +
			`Send the message again, or use another model.`},

	{is(syscall.ECONNREFUSED), supervisor.CodeUnavailable,
		`Mews cannot reach {provider}: nothing accepts connections at ` +
			`{host}. Is it running there?`},
	{isNoHost, supervisor.CodeUnavailable,
		`Mews cannot reach {provider}: the name of {host} is not known. ` +
			`Check its base_url and this machine's network.`},
	{isUntrusted, supervisor.CodeUnavailable,
		`Mews does not trust {provider}: the certificate of {host} is not valid. ` +
			`Check its base_url and this machine's clock.`},
	{isTimeout, supervisor.CodeUnavailable,
		`Mews cannot reach {provider}: {host} did not answer in time. ` +
			`Is it running there?`},
	{func(error) bool { return true }, supervisor.CodeUnavailable,
		`The connection to {provider} at {host} failed. ` +
			`Send the message again in a minute.`},
}

func is(target error) func(error) bool {
	return func(err error) bool { return errors.Is(err, target) }
}

func failed(match func(*failure) bool) func(error) bool {
	return func(err error) bool {
		f := new(failure)
		return errors.As(err, &f) && match(f)
	}
}

func status(codes ...int) func(error) bool {
	return failed(func(f *failure) bool { return slices.Contains(codes, f.status) })
}

// isTooLong: OpenAI's code, llama.cpp's type, and the words of the others.
func isTooLong(f *failure) bool {
	if f.code == "context_length_exceeded" || f.code == "exceed_context_size_error" ||
		f.status == http.StatusRequestEntityTooLarge {
		return true
	}
	return f.saysAny("context length", "context size", "context window", "prompt is too long", "maximum context")
}

func isQuota(f *failure) bool {
	return f.code == "insufficient_quota" || f.status == http.StatusPaymentRequired
}

func isKeyless(f *failure) bool {
	return f.status == http.StatusUnauthorized || f.code == "invalid_api_key"
}

// isNoTools: Ollama's words, and vLLM's for a server that was started without a parser for tool calls.
func isNoTools(f *failure) bool {
	return f.saysAny("does not support tools", "--enable-auto-tool-choice", "tools are not supported")
}

func isNoModel(f *failure) bool {
	return f.code == "model_not_found" || f.saysAny("not a valid model") ||
		(f.status == http.StatusNotFound && f.saysAny("model"))
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

func isTheirs(f *failure) bool { return f.status >= 500 || f.status == http.StatusRequestTimeout }

func isStreamed(f *failure) bool { return f.status == 0 || f.status == http.StatusOK }

func isAny(*failure) bool { return true }

func (f *failure) saysAny(phrases ...string) bool {
	text := strings.ToLower(f.text)
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, p) })
}

func isSilent(err error) bool {
	found := new(silentError)
	return errors.As(err, &found)
}

func isNoHost(err error) bool {
	found := new(net.DNSError)
	return errors.As(err, &found) && !found.IsTimeout
}

func isUntrusted(err error) bool {
	found := new(tls.CertificateVerificationError)
	return errors.As(err, &found)
}

func isTimeout(err error) bool {
	var found net.Error
	return errors.As(err, &found) && found.Timeout()
}
