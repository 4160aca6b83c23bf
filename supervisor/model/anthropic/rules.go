package anthropic

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"mews/supervisor/model/remote"
	"mews/supervisor/modelcall"
)

// Errors in an answer that exist only in this API.
var (
	errFiltered = errors.New("stop_reason refusal")
	errNoRoom   = errors.New("stop_reason max_tokens, and no text")
	errFull     = errors.New("stop_reason model_context_window_exceeded, and no text")
)

// errorRules are tried in order. The last rules match every error.
var errorRules = append([]remote.ErrorRule{
	remote.RuleForRefusal(isTooLong, modelcall.RequestTooLong, remote.TextConversationTooLong),
	remote.RuleForRefusal(isCredit, modelcall.NoCredit, textCredit),
	remote.RuleForRefusal((*remote.Refusal).IsWrongKey, modelcall.AuthFailed, remote.TextWrongKey),
	remote.RuleForRefusal(isForbidden, modelcall.AuthFailed, remote.TextModelForbidden),
	remote.RuleForRefusal(isNoTools, modelcall.ToolsUnsupported, remote.TextToolsUnsupported),
	remote.RuleForRefusal(isNoModel, modelcall.ModelMissing, textNoModel),
	remote.RuleForRefusal(isNoAPI, modelcall.ModelMissing, textNoAPI),
	remote.RuleForRefusal(isLimited, modelcall.RateLimited, remote.TextRateLimited),
	remote.RuleForRefusal(isOverloaded, modelcall.Overloaded, remote.TextOverloaded),
	remote.RuleForRefusal(isTheirs, modelcall.ServerError, textServer),
	remote.RuleForRefusal(isBlocked, modelcall.ContentFiltered, remote.TextAnswerFiltered),
	remote.RuleForRefusal(isNoThinking, modelcall.RequestRefused, textNoThinking),
	remote.RuleForRefusal(isStreamed, modelcall.RequestRefused, textBrokeOff),
	remote.RuleForRefusal(remote.MatchAnyRefusal, modelcall.RequestRefused, remote.TextRequestRefused),
	remote.RuleForError(errFiltered, modelcall.ContentFiltered, textDeclined),
	remote.RuleForError(errNoRoom, modelcall.LengthLimitBeforeText, textNoRoom),
	remote.RuleForError(errFull, modelcall.RequestTooLong, textFull),
}, remote.RulesForAnyError("Anthropic's API", textHint)...)

// readRefusal returns the refusal for an error object. Kind is the type of the object.
func readRefusal(status int, o remote.ErrorObject) *remote.Refusal {
	return &remote.Refusal{Status: status, Kind: o.Type, Text: o.Text, Request: o.Request}
}

// isTooLong matches refusals of a request with too many bytes or too many tokens.
func isTooLong(r *remote.Refusal) bool {
	return r.Status == http.StatusRequestEntityTooLarge || r.Kind == "request_too_large" ||
		r.TextContains("prompt is too long", "exceed context limit", "context window", "context length",
			"maximum context")
}

// isCredit matches refusals of an account without money. The API answers 400 if prepaid credit is
// used up or the owner's own limit is reached. It answers 429 at the limit of the account's tier.
func isCredit(r *remote.Refusal) bool {
	return r.Status == http.StatusPaymentRequired || r.Kind == "billing_error" ||
		r.TextContains("credit balance", "specified api usage limits", "spend limit", "spending limit")
}

func isForbidden(r *remote.Refusal) bool {
	return r.Status == http.StatusForbidden || r.Kind == "permission_error"
}

// isNoTools matches refusals of tools by servers that offer other makers' models through this API.
func isNoTools(r *remote.Refusal) bool {
	return r.TextContains("does not support tools", "tools are not supported", "does not support tool use")
}

func isNoModel(r *remote.Refusal) bool {
	return (r.Status == http.StatusNotFound || r.Kind == "not_found_error") && r.TextContains("model")
}

// isNoAPI matches a web page, a redirect, and an answer that is no stream.
func isNoAPI(r *remote.Refusal) bool {
	return r.Moved || r.Status == http.StatusNotFound || r.Status == http.StatusMethodNotAllowed ||
		(r.Status == http.StatusOK && r.Text == "")
}

func isLimited(r *remote.Refusal) bool {
	return r.Status == http.StatusTooManyRequests || r.Kind == "rate_limit_error"
}

// statusOverloaded is a status that only Anthropic uses.
const statusOverloaded = 529

func isOverloaded(r *remote.Refusal) bool {
	return r.Status == statusOverloaded || r.Status == http.StatusServiceUnavailable || r.Kind == "overloaded_error"
}

func isTheirs(r *remote.Refusal) bool {
	return r.Status >= 500 || r.Status == http.StatusRequestTimeout ||
		slices.Contains([]string{"api_error", "timeout_error"}, r.Kind)
}

func isBlocked(r *remote.Refusal) bool { return r.TextContains("content filtering policy") }

func isNoThinking(r *remote.Refusal) bool {
	return r.TextContains("thinking", "effort") && r.TextContains("not support") // matches "is not supported" too
}

func isStreamed(r *remote.Refusal) bool { return r.Status == 0 || r.Status == http.StatusOK }

// rateLimits are names of limits in the API's headers.
var rateLimits = []string{"Requests", "Tokens", "Input-Tokens", "Output-Tokens"}

// retryAfter returns the pause that the endpoint asks for. It is Retry-After, or the time until the
// last used-up limit is reset.
func retryAfter(h http.Header, now time.Time) time.Duration {
	longest := remote.ParseRetryAfter(h, now)
	if longest > 0 {
		return longest
	}
	for _, name := range rateLimits {
		left := h.Get("Anthropic-Ratelimit-" + name + "-Remaining")
		date, err := time.Parse(time.RFC3339, h.Get("Anthropic-Ratelimit-"+name+"-Reset"))
		if err == nil && (left == "" || left == "0") {
			longest = max(longest, remote.DurationUntil(date, now))
		}
	}
	return longest
}
