package model

import (
	"fmt"
	"sync"

	"mews/supervisor"
	"mews/supervisor/modelcall"
)

// faults are the failures that an admin has to mend, as far as people met them. The admins are told
// of each once, until its model answers again. The zero value tells everybody everything.
type faults struct {
	// whether a person reads of keys, addresses and the configuration; nil: everybody does
	reads func(user string) bool
	tell  func(text string) // tells the admins; never blocks

	mu   sync.Mutex                 // guards told
	told map[string]modelcall.Class // by spec
}

// maxFaults is how many models are remembered of which the admins were told: people may name models
// that do not exist.
const maxFaults = 100

// HideFaults has failures that an admin has to mend be told to the admins, by tell, where reads is
// false of the person who met one: they read that the model is not available. It is called before
// the first call of a model. tell must not block.
func (c *Catalogue) HideFaults(reads func(user string) bool, tell func(text string)) {
	c.faults.reads, c.faults.tell = reads, tell
}

// hides says whether a person does not read why a model has failed.
func (f *faults) hides(user string, class modelcall.Class) bool {
	return policies[class].admins && f.reads != nil && !f.reads(user)
}

// hide is a failure as a person reads it who can do nothing about it. The admins are told what it
// was.
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

// ended is called when a model has answered.
func (f *faults) ended(spec string) {
	f.mu.Lock()
	_, told := f.told[spec]
	delete(f.told, spec)
	f.mu.Unlock()
	if told {
		f.tell(fmt.Sprintf(textFaultEnded, spec))
	}
}
