package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// faults are failures that an admin must repair. Admins are told once of a model's failure. They
// are told again only after the model has answered. The zero value shows every failure to every
// user.
type faults struct {
	// reports whether a user may read about keys, addresses and the configuration; nil means that
	// every user may
	readsFaults func(user string) bool
	tell        func(text string) // sends a text to the admins; must not block

	mu   sync.Mutex                      // guards the fields below
	told map[string]modelcall.ErrorClass // the failures that the admins were told of, by spec
	once map[string]bool                 // texts that tellOnce has already sent
	// the refusals since each model's last answer, by spec, whoever asked for the model
	refusals map[string]Refusal
}

// maxFaults limits the models in told, because users may name models that do not exist.
const maxFaults = 100

// HideFaultsFromUsers tells only the admins of failures that an admin must repair. tell gets the
// text for the admins and must not block. If reads is false for a user, that user only reads that
// the model is not available. Call HideFaultsFromUsers before the first call of a model.
func (c *Catalogue) HideFaultsFromUsers(reads func(user string) bool, tell func(text string)) {
	c.faults.readsFaults, c.faults.tell = reads, tell
}

// hides reports whether the cause of a model's failure is hidden from a user.
func (f *faults) hides(user string, class modelcall.ErrorClass) bool {
	return policies[class].forAdmins && f.readsFaults != nil && !f.readsFaults(user)
}

// hide returns an error for a user who cannot repair the failure, and tells the admins the cause.
func (f *faults) hide(user, spec string, err *modelcall.Error) *modelcall.Error {
	if err.Class == modelcall.AuthFailed || err.Class == modelcall.NoCredit {
		f.keep(spec, err.Err.Message)
	}
	if !f.hides(user, err.Class) {
		return err
	}
	if f.isNew(spec, err.Class) {
		f.tell(fmt.Sprintf(textFault, spec, err.Err.Message))
	}
	hidden := *err
	hidden.Err = &supervisor.Error{Code: err.Err.Code, Message: fmt.Sprintf(textUnavailable, spec), Err: err.Err}
	return &hidden
}

// Refusal is a provider's refusal of a key or an account.
type Refusal struct {
	Model   string // the model's full name
	Message string // the reason in words
	At      time.Time
}

// keep records a refusal.
func (f *faults) keep(spec, message string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refusals == nil {
		f.refusals = map[string]Refusal{}
	}
	if _, known := f.refusals[spec]; known || len(f.refusals) < maxFaults {
		f.refusals[spec] = Refusal{spec, message, time.Now()}
	}
}

// Refusals returns the last refusals of models, sorted by name. A model that has answered since has
// none.
func (c *Catalogue) Refusals() []Refusal {
	c.faults.mu.Lock()
	defer c.faults.mu.Unlock()
	byName := func(a, b Refusal) int { return strings.Compare(a.Model, b.Model) }
	return slices.SortedFunc(maps.Values(c.faults.refusals), byName)
}

func (f *faults) isNew(spec string, class modelcall.ErrorClass) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told[spec] == class || len(f.told) == maxFaults && f.told[spec] == "" {
		return false
	}
	if f.told == nil {
		f.told = map[string]modelcall.ErrorClass{}
	}
	f.told[spec] = class
	return true
}

// tellOnce sends the admins a text about a model that answers in spite of a problem. It sends each
// text only once until Mews restarts.
func (f *faults) tellOnce(text string) {
	f.mu.Lock()
	known := f.once[text] || len(f.once) >= maxFaults
	if f.once == nil {
		f.once = map[string]bool{}
	}
	if !known {
		f.once[text] = true
	}
	f.mu.Unlock()
	if !known && f.tell != nil {
		f.tell(text)
	}
}

// ended records that a model has answered. If the admins were told of a failure, it tells them that
// the model works again.
func (f *faults) ended(spec string) {
	f.mu.Lock()
	_, told := f.told[spec]
	delete(f.told, spec)
	delete(f.refusals, spec)
	f.mu.Unlock()
	if told {
		f.tell(fmt.Sprintf(textFaultEnded, spec))
	}
}
