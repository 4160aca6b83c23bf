// Package worker holds the words of the worker's side: the contract of a tool, its calls and its
// results. It does no I/O and starts no goroutine.
//
// The glossary of package supervisor holds here too. These words are the worker's own:
//
//	attempt        one run of a turn in a worker; a turn that was cut short gets another
//	author         who made a point of a file history: a tool, program, undo, restore or somebody else
//	baseline       the first version of each file that was there before the file history
//	block          a bounded piece of a text, between two headings or by size
//	brief          a few words about a result, for the user: "12 lines"
//	call           one use of a tool
//	change         a file that a tool changed, with its state before
//	class          what may happen if a call runs twice: none, idempotent or once
//	control group  a cgroup: the kernel's limits for a group of processes
//	delegated      a tool that only makes a host call
//	draft          a file that is written in full before it gets its name
//	escape         a known way through the walls; each is tried at a start
//	event          a line of a worker to the supervisor that needs no answer
//	family         tools that are shown to a model together
//	handshake      the first line each way, with versions and limits
//	instructions   what prompt files say, as far as it is in force
//	kernel pool    a resource that the kernel counts for an account or the machine
//	landlock       the kernel's rules about paths and sockets
//	leftovers      processes of a program that still run when the program has ended
//	namespaces     the kernel's separate views of mounts, processes and network
//	pack           a file of the file history with bytes and points; changes are appended
//	parser         a process that reads one file of a foreign format, and sees no folder
//	pieces         parts of a recording or an operation that are committed one by one
//	point          a numbered moment of a file history
//	profile        what a worker is started for, and the walls that follow from it
//	program        a process that a tool starts
//	quota          how much a home may hold
//	result         what a call returns to the model
//	rules          which paths of a home the file tools may use
//	schema         the JSON Schema of a tool's arguments
//	seccomp        the kernel's filter of system calls
//	self-test      a worker without a user that tries the escapes
//	span           what one program, tool, undo or restore changed, from one point to another
//	spawner        the small program that starts and ends workers
//	tier           which walls this machine can build: accounts, namespaces, landlock, off
//	tool           a function that a model may call
//	walls          all that keeps a worker and its programs in: accounts, mounts, Landlock, seccomp, limits
package worker
