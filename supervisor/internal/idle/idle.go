// Package idle runs long work that must not slow down anything else.
package idle

import "runtime"

// Run calls fn on its own thread, with the lowest priority for processor and disk. It returns the
// error of fn. fn must hold no lock that other goroutines need. The goroutines that fn starts have
// the usual priority.
func Run(fn func() error) error {
	done := make(chan error, 1)
	go func() { // ends with fn
		// Without an unlock the thread ends with its goroutine, since a priority can't be raised
		// again.
		runtime.LockOSThread()
		lowerPriority()
		done <- fn()
	}()
	return <-done
}
