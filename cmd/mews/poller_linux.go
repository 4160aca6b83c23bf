package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// pollerTries is how often a verb looks for a watch, each time half a second after the last: who
// holds too many is ended by Mews's own watchdog within that time, if it is a program of an
// assistant.
const pollerTries = 10

// tryPoller tries what Go's runtime needs of the kernel once a program waits for a socket or for a
// time, because the runtime crashes without it. So it waits by a system call.
func tryPoller() (err error) {
	for range pollerTries {
		if err = watchOnce(); !errors.Is(err, unix.ENOSPC) {
			break
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 500e6}, nil) // a signal makes it shorter
	}
	if err != nil {
		return fmt.Errorf(textNoPoller, err)
	}
	return nil
}

func watchOnce() error {
	poller, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(poller)
	event, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
	if err != nil {
		return err
	}
	defer unix.Close(event)
	return unix.EpollCtl(poller, unix.EPOLL_CTL_ADD, event, &unix.EpollEvent{Events: unix.EPOLLIN})
}
