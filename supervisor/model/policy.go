package model

import (
	"time"

	"mews/supervisor/modelcall"
)

// policy is the reaction to failures of one class.
type policy struct {
	tries     int           // maximum tries of one model in one call, including the first
	loneTries int           // maximum tries if no other model is left; 0 means the same as tries
	firstWait time.Duration // wait before the second try; the wait doubles for each later try
	// whether another model is asked; if false, the caller gets the failure at once
	fallback bool
	// the model is broken, not the request, so other calls avoid the model too
	opensBreaker    bool
	countIsComplete bool   // the token count is complete, because the model ended the answer itself
	forAdmins       bool   // an admin must repair the cause: a key, an address or the configuration
	reason          string // a few words for the user, after the model's name: "is overloaded"
}

const (
	maxWait = 60 * time.Second // limit for all waits between the tries of one model in one call
	// random share of a wait, so that calls that failed together do not retry together
	jitter = 0.25
)

// policies has a policy for every class of modelcall.Error. Failures that may pass soon are
// retried. If a model or an account is broken, the fallback is asked. A wrong request is wrong for
// every model, or the caller must correct it. If a provider's filter stopped a request, no other
// provider gets the request without the user's consent. The message says that the user may ask
// another provider. Six tries of a model without a fallback take half a minute.
var policies = map[modelcall.ErrorClass]policy{
	modelcall.RateLimited: {tries: 3, firstWait: 2 * time.Second, fallback: true, opensBreaker: true,
		reason: textRateLimited},
	modelcall.Overloaded: {tries: 2, loneTries: 6, firstWait: time.Second, fallback: true, opensBreaker: true,
		reason: textOverloaded},
	modelcall.ServerError: {tries: 2, loneTries: 6, firstWait: time.Second, fallback: true, opensBreaker: true,
		reason: textServer},
	modelcall.NetworkError: {tries: 3, firstWait: time.Second, fallback: true, opensBreaker: true, forAdmins: true,
		reason: textNetwork},

	modelcall.StreamStalled: {tries: 1, loneTries: 2, firstWait: time.Second, fallback: true, opensBreaker: true,
		forAdmins: true, reason: textStalled},
	modelcall.StreamCut: {tries: 2, firstWait: time.Second, fallback: true, opensBreaker: true, reason: textCut},
	modelcall.MalformedAnswer: {tries: 2, firstWait: time.Second, fallback: true, opensBreaker: true, forAdmins: true,
		reason: textMalformed},
	modelcall.EmptyAnswer: {tries: 2, firstWait: time.Second, fallback: true, countIsComplete: true,
		reason: textEmpty},

	modelcall.AuthFailed: {tries: 1, fallback: true, opensBreaker: true, forAdmins: true, reason: textAuth},
	modelcall.NoCredit: {tries: 1, fallback: true, opensBreaker: true, forAdmins: true,
		reason: textCredit},
	modelcall.ModelMissing: {tries: 1, fallback: true, opensBreaker: true, forAdmins: true,
		reason: textMissing},
	modelcall.ToolsUnsupported:      {tries: 1, fallback: true, forAdmins: true, reason: textNoTools},
	modelcall.LengthLimitBeforeText: {tries: 1, fallback: true, countIsComplete: true, reason: textNoRoom},
	modelcall.OverBudget:            {tries: 1, fallback: true, reason: textBudget},

	modelcall.RequestTooLong:  {tries: 1, reason: textTooLong},
	modelcall.ContentFiltered: {tries: 1, countIsComplete: true, reason: textFiltered},
	modelcall.RequestRefused:  {tries: 1, reason: textRefused},
}

// lonePolicy returns the policy for the last model that can be asked.
func (p policy) lonePolicy() policy {
	p.tries = max(p.tries, p.loneTries)
	return p
}

// retry reports whether to try a model again after n tries, and after which wait. The pause asked
// is the one that the provider asked for. The time waited is the sum of this call's earlier waits
// for the model. The number at is the random part of the jitter, from -1 to 1. A wait is never
// shorter than asked. If asked is too long, the model is not tried again.
func (p policy) retry(n int, asked, waited time.Duration, at float64) (wait time.Duration, ok bool) {
	if n >= p.tries {
		return 0, false
	}
	wait = p.firstWait << (n - 1)
	if waited+max(wait, asked) > maxWait {
		return 0, false
	}
	return max(wait+time.Duration(at*jitter*float64(wait)), asked), true
}
