package main

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// pollerTries is how often a verb tries to get an epoll watch, half a second apart. Within that
// time Mews's watchdog ends a tool's program that holds too many watches.
const pollerTries = 10

// tryPoller checks the resources that Go's runtime needs to wait for a socket or a time. Without
// them the runtime crashes, so this function waits by a system call.
func tryPoller() (err error) {
	for range pollerTries {
		if err = watchOnce(); !errors.Is(err, unix.ENOSPC) {
			break
		}
		_ = unix.Nanosleep(&unix.Timespec{Nsec: 500e6}, nil) // a signal may end the sleep early
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
