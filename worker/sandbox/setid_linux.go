package sandbox

import "golang.org/x/sys/unix"

// IDRange are numbers, both ends included.
type IDRange struct{ From, To uint32 }

// setIDCalls are the calls that change a process's account, and how many arguments name one.
var setIDCalls = map[uint32]uint32{
	unix.SYS_SETUID: 1, unix.SYS_SETGID: 1, unix.SYS_SETREUID: 2, unix.SYS_SETREGID: 2, unix.SYS_SETRESUID: 3,
	unix.SYS_SETRESGID: 3, unix.SYS_SETFSUID: 1, unix.SYS_SETFSGID: 1,
}

// RestrictSetID has this process, with all its threads, and all that it starts from now on call for a change to these
// accounts alone, whatever capabilities it has. no_new_privs must be set. It can't be taken back. It holds against a
// wrong number from a supervisor, not against whoever runs code of their own in a spawner with CAP_SETUID: a user
// namespace can give an allowed number inside to another account outside.
func RestrictSetID(allowed []IDRange) error {
	return withKernelAdvice(install(assemble(accountFilter(allowed)), unix.SECCOMP_FILTER_FLAG_TSYNC))
}

func accountFilter(allowed []IDRange) []instruction {
	f := []instruction{load(offArch)}
	f = append(f, unlessEqual(auditArch, retKill)...)
	f = append(f, load(offNumber))
	f = append(f, ifAbove(newestCall, retENOSYS)...)
	for number, args := range setIDCalls {
		body := []instruction{}
		for arg := range args {
			body = append(body, argInRanges(arg, allowed)...)
		}
		f = append(f, instruction{code: opEqual, jf: uint8(len(body) + 1), k: number})
		f = append(append(f, body...), ret(retAllow))
	}
	none := append([]instruction{loadArg(0)}, unlessEqual(0, retEPERM)...) // without nobody's groups can be taken on
	f = append(f, instruction{code: opEqual, jf: uint8(len(none) + 1), k: unix.SYS_SETGROUPS})
	f = append(append(f, none...), ret(retAllow))
	return append(f, ret(retAllow))
}

// argInRanges refuses an argument that is no account of these, nor -1, which is no change.
func argInRanges(arg uint32, allowed []IDRange) []instruction {
	body := []instruction{loadArg(arg)}
	left := 2*len(allowed) + 1 // instructions to the end but the last
	body = append(body, instruction{code: opEqual, jt: uint8(left), k: 0xffffffff})
	for _, a := range allowed {
		left -= 2
		body = append(body,
			instruction{code: opAtLeast, jf: 1, k: a.From},
			instruction{code: opAbove, jf: uint8(left), k: a.To})
	}
	return append(body, ret(retEPERM))
}
