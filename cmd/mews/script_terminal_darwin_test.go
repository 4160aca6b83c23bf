package main_test

import (
	"errors"
	"os"

	"github.com/creack/pty"
)

// newTerminal makes a terminal.
func newTerminal() (master, slave *os.File, err error) {
	if master, slave, err = pty.Open(); err != nil {
		return nil, nil, err
	}
	if err := pty.Setsize(master, &pty.Winsize{Rows: 40, Cols: 100}); err != nil {
		return nil, nil, errors.Join(err, master.Close(), slave.Close())
	}
	return master, slave, nil
}
