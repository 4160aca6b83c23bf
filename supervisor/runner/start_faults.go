package runner

import (
	"fmt"
	"sync"
)

// StartFaults are the reasons for which people's workers can't be started. The admins are told of
// each once, until that worker has started.
type StartFaults struct {
	MayRead func(user string) bool // whether a person reads of paths, accounts and programs
	Tell  func(text string)      // tells the admins
	told  sync.Map               // the reason, by person
}

// of is why somebody's worker can't be started, as they read it.
func (f *StartFaults) explain(user, reason string) string {
	if f.MayRead(user) {
		return reason
	}
	if before, _ := f.told.Swap(user, reason); before != reason {
		f.Tell(fmt.Sprintf(textStartFault, user, reason))
	}
	return textAdminTold
}
