package sandbox

import "golang.org/x/sys/unix"

// setIDCalls are the calls that change a process's account, each with the number of its ids.
var setIDCalls = map[uint32]uint32{
	unix.SYS_SETUID: 1, unix.SYS_SETGID: 1, unix.SYS_SETREUID: 2, unix.SYS_SETREGID: 2, unix.SYS_SETRESUID: 3,
	unix.SYS_SETRESGID: 3, unix.SYS_SETFSUID: 1, unix.SYS_SETFSGID: 1,
}

// RestrictSetID allows this process to change only to these accounts. The process's capabilities do
// not matter. The restriction holds for all threads of the process and for all processes that it
// starts from now on. It cannot be undone. no_new_privs must be set.
//
// The restriction protects against a wrong number from a supervisor. It does not protect against an
// attacker's code in a spawner with CAP_SETUID: a user namespace can map an allowed number inside
// to another account outside.
func RestrictSetID(allowed []IDRange) error {
	return withKernelAdvice(installFilter(assemble(accountFilter(allowed)), unix.SECCOMP_FILTER_FLAG_TSYNC))
}

func accountFilter(allowed []IDRange) []instruction {
	f := filterStart()
	for number, args := range setIDCalls {
		var body []instruction
		for arg := range args {
			body = append(body, argInRanges(arg, allowed)...)
		}
		f = append(f, onCall(number, body)...)
	}
	// setgroups may only leave all groups.
	f = append(f, onCall(unix.SYS_SETGROUPS, append([]instruction{loadArg(0)}, unlessEqual(0, retEPERM)...))...)
	return append(f, ret(retAllow))
}

// argInRanges refuses an id that is in none of the ranges. It allows -1, which changes nothing.
func argInRanges(arg uint32, allowed []IDRange) []instruction {
	body := []instruction{loadArg(arg)}
	left := 2*len(allowed) + 1 // number of the instructions that follow, without the last
	body = append(body, instruction{code: opEqual, jt: uint8(left), k: 0xffffffff})
	for _, a := range allowed {
		left -= 2
		body = append(body,
			instruction{code: opAtLeast, jf: 1, k: a.From},
			instruction{code: opAbove, jf: uint8(left), k: a.To})
	}
	return append(body, ret(retEPERM))
}
