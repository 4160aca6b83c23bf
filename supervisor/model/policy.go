package model

import (
	"time"

	"mews/supervisor"
)

// policy is what follows a failure of one class.
type policy struct {
	tries     int           // of one model in one call, the first included
	firstWait time.Duration // before the second try; twice as long before each later one
	fallback  bool          // the next model of the fallback is asked; without it the caller gets the failure at once
	trips     bool          // it is the model's failure rather than the request's: other calls leave the model alone too
	complete  bool          // the model had ended by itself: what it counted is all there is to pay for
	reason    string        // of the model, for the person: "claude/opus is overloaded"
}

const (
	maxWait = 60 * time.Second // the longest that one call waits between the tries of one model, in all
	jitter  = 0.25             // of a wait, either way, so that those who failed together do not come back together
)

// policies has every class of a ModelError. What can be right a moment later is tried again; what is wrong with a model or an account
// is left to the fallback; what is wrong with the request would be wrong anywhere, or is the caller's to mend. What a
// provider's filter stopped is not carried to another provider unasked: its words tell the person that they may.
var policies = map[supervisor.ModelClass]policy{
	supervisor.ModelRateLimited: {tries: 3, firstWait: 2 * time.Second, fallback: true, trips: true, reason: textRateLimited},
	supervisor.ModelOverloaded:  {tries: 3, firstWait: time.Second, fallback: true, trips: true, reason: textOverloaded},
	supervisor.ModelServer:      {tries: 3, firstWait: time.Second, fallback: true, trips: true, reason: textServer},
	supervisor.ModelNetwork:     {tries: 3, firstWait: time.Second, fallback: true, trips: true, reason: textNetwork},

	supervisor.ModelStalled:   {tries: 2, firstWait: time.Second, fallback: true, trips: true, reason: textStalled},
	supervisor.ModelCut:       {tries: 2, firstWait: time.Second, fallback: true, trips: true, reason: textCut},
	supervisor.ModelMalformed: {tries: 2, firstWait: time.Second, fallback: true, trips: true, reason: textMalformed},
	supervisor.ModelEmpty:     {tries: 2, firstWait: time.Second, fallback: true, complete: true, reason: textEmpty},

	supervisor.ModelAuth:    {tries: 1, fallback: true, trips: true, reason: textAuth},
	supervisor.ModelCredit:  {tries: 1, fallback: true, trips: true, reason: textCredit},
	supervisor.ModelMissing: {tries: 1, fallback: true, trips: true, reason: textMissing},
	supervisor.ModelNoTools: {tries: 1, fallback: true, reason: textNoTools},
	supervisor.ModelNoRoom:  {tries: 1, fallback: true, complete: true, reason: textNoRoom},
	supervisor.ModelBudget:  {tries: 1, fallback: true, reason: textBudget},

	supervisor.ModelTooLong:  {tries: 1, reason: textTooLong},
	supervisor.ModelFiltered: {tries: 1, complete: true, reason: textFiltered},
	supervisor.ModelRefused:  {tries: 1, reason: textRefused},
}

// retry says whether a model is tried once more after n tries, and after which wait. asked is for how long the provider
// wants to be left alone, waited what the call has waited for this model already, and at a place in the spread, from -1
// to 1. A wait is never shorter than what was asked for, and where that is too long, there is none.
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
