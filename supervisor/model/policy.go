package model

import (
	"time"

	"mews/supervisor/modelcall"
)

// policy is what follows a failure of one class.
type policy struct {
	tries     int           // of one model in one call, the first included
	lone      int           // the same where no other model is left to be asked; 0: as tries
	firstWait time.Duration // before the second try; twice as long before each later one
	// the next model of the fallback is asked; without it the caller gets the failure at once
	fallback bool
	// the model is at fault and not the request: other calls leave the model alone too
	trips    bool
	complete bool   // the model ended by itself: it counted all there is to pay for
	admins   bool   // an admin has to mend it: a key, an address or the configuration
	reason   string // for the person, after the model's name: "is overloaded"
}

const (
	maxWait = 60 * time.Second // the sum of one call's waits between the tries of one model
	// part of a wait, either way, so that calls that failed together do not come back together
	jitter = 0.25
)

// policies has every class of a ModelError. What may work a moment later is tried again. What is
// wrong with a model or an account is left to the fallback. What is wrong with the request would be
// wrong anywhere, or is the caller's to mend. What a provider's filter stopped is not sent to
// another provider unasked: the message tells the person that they may do so. Six tries of a model
// that has no other beside it take half a minute.
var policies = map[modelcall.Class]policy{
	modelcall.RateLimited: {tries: 3, firstWait: 2 * time.Second, fallback: true, trips: true, reason: textRateLimited},
	modelcall.Overloaded:  {tries: 2, lone: 6, firstWait: time.Second, fallback: true, trips: true, reason: textOverloaded},
	modelcall.Server:      {tries: 2, lone: 6, firstWait: time.Second, fallback: true, trips: true, reason: textServer},
	modelcall.Network:     {tries: 3, firstWait: time.Second, fallback: true, trips: true, admins: true, reason: textNetwork},

	modelcall.Stalled:   {tries: 1, lone: 2, firstWait: time.Second, fallback: true, trips: true, admins: true, reason: textStalled},
	modelcall.Cut:       {tries: 2, firstWait: time.Second, fallback: true, trips: true, reason: textCut},
	modelcall.Malformed: {tries: 2, firstWait: time.Second, fallback: true, trips: true, admins: true, reason: textMalformed},
	modelcall.Empty:     {tries: 2, firstWait: time.Second, fallback: true, complete: true, reason: textEmpty},

	modelcall.Auth:       {tries: 1, fallback: true, trips: true, admins: true, reason: textAuth},
	modelcall.Credit:     {tries: 1, fallback: true, trips: true, admins: true, reason: textCredit},
	modelcall.Missing:    {tries: 1, fallback: true, trips: true, admins: true, reason: textMissing},
	modelcall.NoTools:    {tries: 1, fallback: true, admins: true, reason: textNoTools},
	modelcall.NoRoom:     {tries: 1, fallback: true, complete: true, reason: textNoRoom},
	modelcall.OverBudget: {tries: 1, fallback: true, reason: textBudget},

	modelcall.TooLong:  {tries: 1, reason: textTooLong},
	modelcall.Filtered: {tries: 1, complete: true, reason: textFiltered},
	modelcall.Refused:  {tries: 1, reason: textRefused},
}

// alone is the policy where no other model is left to be asked.
func (p policy) alone() policy {
	p.tries = max(p.tries, p.lone)
	return p
}

// retry says whether a model is tried once more after n tries, and after which wait. asked is how
// long the provider wants to be left alone, waited how long the call has waited for this model
// already, and at the share of the jitter, from -1 to 1. A wait is never shorter than asked; where
// that is too long, the model is not tried again.
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
