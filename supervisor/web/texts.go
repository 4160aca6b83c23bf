package web

import "syscall"

// listenHints tell admins what to do if the server can't listen at its address.
var listenHints = []struct {
	err  error
	hint string
}{
	{syscall.EADDRINUSE, "end the program that has this port, or write another one into %s"},
	{syscall.EACCES, "a port below 1024 needs a permission: write a higher port into %s, behind a reverse " +
		"proxy"},
	{syscall.EADDRNOTAVAIL, "this machine has no such address: write one of its own into %s"},
}
