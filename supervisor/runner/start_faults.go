package runner

import (
	"fmt"
	"sync"
)

// WorkerStartFaults explains why users' workers can't be started. Admins are told each reason once,
// until that worker has started.
type WorkerStartFaults struct {
	MayRead func(user string) bool // whether a user may read about paths, accounts and programs
	Tell    func(text string)      // sends the admins a notice
	told    sync.Map               // the last reason that the admins were told, by user
}

// explain returns the reason if the user may read it. Otherwise it tells the admins.
func (f *WorkerStartFaults) explain(user, reason string) string {
	if f.MayRead(user) {
		return reason
	}
	if before, _ := f.told.Swap(user, reason); before != reason {
		f.Tell(fmt.Sprintf(textStartFault, user, reason))
	}
	return textAdminTold
}
