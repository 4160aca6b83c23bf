package model

import (
	"fmt"
	"sync"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// faults are the failures that an admin has to mend. The admins are told once of each model's
// failure, until the model answers again. The zero value shows every failure to every user.
type faults struct {
	// reports whether a user reads about keys, addresses and the configuration; nil means every
	// user
	readsFaults func(user string) bool
	tell        func(text string) // tells the admins; never blocks

	mu   sync.Mutex                 // guards told
	told map[string]modelcall.Class // by spec
}

// maxFaults limits the models in told, because users may name models that do not exist.
const maxFaults = 100

// HideFaults tells admins about failures that they must mend. It hides the details from others.
// tell gets the text for the admins and must not block. A user for whom reads is false only reads that
// the model is not available. Call HideFaults before the first call of a model.
func (c *Catalogue) HideFaults(reads func(user string) bool, tell func(text string)) {
	c.faults.readsFaults, c.faults.tell = reads, tell
}

// hides reports whether a user does not read why a model failed.
func (f *faults) hides(user string, class modelcall.Class) bool {
	return policies[class].forAdmins && f.readsFaults != nil && !f.readsFaults(user)
}

// hide returns the failure in words for a user who cannot mend it, and tells the admins the cause.
func (f *faults) hide(user, spec string, err *modelcall.Error) *modelcall.Error {
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

func (f *faults) isNew(spec string, class modelcall.Class) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.told[spec] == class || len(f.told) == maxFaults && f.told[spec] == "" {
		return false
	}
	if f.told == nil {
		f.told = map[string]modelcall.Class{}
	}
	f.told[spec] = class
	return true
}

// ended records that a model has answered, and tells the admins if it had a fault.
func (f *faults) ended(spec string) {
	f.mu.Lock()
	_, told := f.told[spec]
	delete(f.told, spec)
	f.mu.Unlock()
	if told {
		f.tell(fmt.Sprintf(textFaultEnded, spec))
	}
}
