package openai

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// Errors in an answer that exist only in this API.
var (
	errFiltered = errors.New("finish_reason content_filter")
	errNoRoom   = errors.New("finish_reason length, and no text")
	errBroken   = errors.New("finish_reason error")
	errUnspoken = errors.New("the stream ended before the answer began")
)

// beforeFirstWord changes the error of a stream that ended before the answer began.
func beforeFirstWord(err error) error {
	if errors.Is(err, remote.ErrStreamCut) && !errors.Is(err, remote.ErrAnswerTooLong) {
		return fmt.Errorf("%w: %w", errUnspoken, err)
	}
	return err
}

// errorRules are tried in order. The last rules match every error.
var errorRules = append([]remote.ErrorRule{
	remote.RuleForRefusal(isTooLong, modelcall.RequestTooLong, remote.TextConversationTooLong),
	remote.RuleForRefusal(isQuota, modelcall.NoCredit, textCredit),
	remote.RuleForRefusal((*remote.Refusal).IsWrongKey, modelcall.AuthFailed, remote.TextWrongKey),
	remote.RuleForRefusal(isFiltered, modelcall.ContentFiltered, textFilteredRequest),
	remote.RuleForRefusal(status(http.StatusForbidden), modelcall.AuthFailed, remote.TextModelForbidden),
	remote.RuleForRefusal(isNoTools, modelcall.ToolsUnsupported, remote.TextToolsUnsupported),
	remote.RuleForRefusal(isNoModel, modelcall.ModelMissing, textNoModel),
	remote.RuleForRefusal(isNoAPI, modelcall.ModelMissing, textNoAPI),
	remote.RuleForRefusal(status(http.StatusTooManyRequests), modelcall.RateLimited, remote.TextRateLimited),
	remote.RuleForRefusal(isLoading, modelcall.Overloaded, textLoading),
	remote.RuleForRefusal(isBusy, modelcall.Overloaded, remote.TextOverloaded),
	remote.RuleForRefusal(isTheirs, modelcall.ServerError, textServer),
	remote.RuleForRefusal(isStreamed, modelcall.ServerError, textBrokeOff),
	remote.RuleForRefusal(remote.MatchAnyRefusal, modelcall.RequestRefused, remote.TextRequestRefused),
	remote.RuleForError(errBroken, modelcall.ServerError, textBrokeOff),
	remote.RuleForError(errUnspoken, modelcall.NetworkError, textUnspoken),
	remote.RuleForError(errFiltered, modelcall.ContentFiltered, remote.TextAnswerFiltered),
	remote.RuleForError(errNoRoom, modelcall.LengthLimitBeforeText, textNoRoom),
}, remote.RulesForAnyError("the OpenAI API", textHint)...)

// readRefusal returns the refusal for an error object. Kind is the object's code. If the code is
// missing or only repeats the status, as llama.cpp's does, Kind is the type.
func readRefusal(status int, o remote.ErrorObject) *remote.Refusal {
	r := &remote.Refusal{Status: status, Kind: cmp.Or(o.Code, o.Type), Param: o.Param, Text: o.Text, Request: o.Request}
	number, err := strconv.ParseFloat(r.Kind, 64)
	if err != nil {
		return r
	}
	if (status == 0 || status == http.StatusOK) && number >= 400 && number < 600 {
		r.Status = int(number)
	}
	r.Kind = cmp.Or(o.Type, r.Kind)
	return r
}

func status(code int) func(*remote.Refusal) bool {
	return func(r *remote.Refusal) bool { return r.Status == code }
}

// isTooLong matches OpenAI's code, llama.cpp's type, and texts of other servers. A request that
// alone exceeds a limit per minute is also too long, because waiting does not help.
func isTooLong(r *remote.Refusal) bool {
	if r.Kind == "context_length_exceeded" || r.Kind == "exceed_context_size_error" ||
		r.Status == http.StatusRequestEntityTooLarge {
		return true
	}
	return r.TextContains("context length", "context size", "context window", "prompt is too long", "input is too long",
		"maximum context", "maximum model length", "request too large", "reduce the length",
		"too large to process")
}

func isQuota(r *remote.Refusal) bool {
	return r.Status == http.StatusPaymentRequired || slices.Contains(noMoneyCodes, r.Kind)
}

// noMoneyCodes are OpenAI's codes for accounts without money.
var noMoneyCodes = []string{"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"}

// isFiltered matches the codes of Azure and OpenAI, and OpenRouter's text with status 403.
func isFiltered(r *remote.Refusal) bool {
	return r.Kind == "content_filter" || r.Kind == "content_policy_violation" ||
		(r.Status == http.StatusForbidden && r.TextContains("flagged", "moderation"))
}

// isNoTools matches texts of Ollama, OpenRouter, Groq and OpenAI. It also matches texts of vLLM and
// llama.cpp if they run without a parser for tool calls.
func isNoTools(r *remote.Refusal) bool {
	return r.TextContains("does not support tools", "--enable-auto-tool-choice", "requires --jinja",
		"tools are not supported",
		"support tool use", "tool calling` is not supported", "'tools' is not supported", "tools is not supported")
}

func isNoModel(r *remote.Refusal) bool {
	return !r.Listing && (r.Kind == "model_not_found" || r.TextContains("not a valid model") ||
		(r.Status == http.StatusNotFound && r.TextContains("model")))
}

// isNoAPI matches a web page, a redirect, and an answer that is no stream.
func isNoAPI(r *remote.Refusal) bool {
	return r.Moved || r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed ||
		(r.Status == http.StatusOK && r.Text == "")
}

// isLoading matches llama.cpp's text while a model is loading.
func isLoading(r *remote.Refusal) bool {
	return r.Status == http.StatusServiceUnavailable && r.TextContains("loading model")
}

// statusOverloaded is Anthropic's status, passed on by OpenRouter. statusNoCapacity is Groq's. No
// standard defines these statuses.
const (
	statusOverloaded = 529
	statusNoCapacity = 498
)

// isBusy matches status 503 with a JSON error. If the server behind a proxy is down, the proxy's
// 503 has no such body.
func isBusy(r *remote.Refusal) bool {
	return r.Status == statusOverloaded || r.Status == statusNoCapacity ||
		(r.Status == http.StatusServiceUnavailable && r.Text != "") ||
		(r.Status >= 500 && r.TextContains("overloaded", "server busy", "at capacity"))
}

func isTheirs(r *remote.Refusal) bool {
	return r.Status == http.StatusRequestTimeout || (r.Status >= 500 && !r.Begun)
}

func isStreamed(r *remote.Refusal) bool {
	return r.Status == 0 || r.Status == http.StatusOK || (r.Begun && r.Status >= 500)
}
