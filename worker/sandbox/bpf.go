package sandbox

// A seccomp filter is a program of the classic BPF machine (seccomp(2), linux/filter.h). This file
// has the few instructions that the filters need. Jumps are short distances, written by hand.

// Instructions (linux/bpf_common.h).
const (
	opLoad    = 0x20 // LD | W | ABS: a word of seccomp_data into the accumulator
	opEqual   = 0x15 // JMP | JEQ | K: jump if the accumulator equals a constant
	opAtLeast = 0x35 // JMP | JGE | K: jump if the accumulator is at least a constant
	opAbove   = 0x25 // JMP | JGT | K: jump if the accumulator is greater than a constant
	opAnd     = 0x54 // ALU | AND | K: keep the accumulator's bits of a mask
	opReturn  = 0x06 // RET | K: end the filter with an answer
)

// Offsets in struct seccomp_data. An argument has 64 bits. Its low half comes first, because all
// machines with tables in this package are little-endian.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

// Answers of a filter to a system call (linux/seccomp.h).
const (
	retAllow = 0x7fff0000
	retErrno = 0x00050000
	retKill  = 0x80000000 // kill the whole process
)

// instruction is struct sock_filter.
type instruction struct {
	code   uint16
	jt, jf uint8
	k      uint32
}

func load(offset uint32) instruction { return instruction{code: opLoad, k: offset} }
func ret(what uint32) instruction    { return instruction{code: opReturn, k: what} }

// loadArg loads the low half of an argument: the kernel reads only that half of the arguments
// checked here.
func loadArg(arg uint32) instruction { return load(offArgs + 8*arg) }

// unlessEqual returns instructions that end the filter unless the accumulator is k. The answer of
// the filter is then what.
func unlessEqual(k, what uint32) []instruction {
	return []instruction{{code: opEqual, jt: 1, k: k}, ret(what)}
}

// ifEqual ends the filter, with what as its answer, if the accumulator is k.
func ifEqual(k, what uint32) []instruction {
	return []instruction{{code: opEqual, jf: 1, k: k}, ret(what)}
}

// ifAbove ends the filter, with what as its answer, if the accumulator is greater than k.
func ifAbove(k, what uint32) []instruction {
	return []instruction{{code: opAbove, jf: 1, k: k}, ret(what)}
}

// ifAnyBit ends the filter, with what as its answer, if the accumulator has a bit of mask. It
// changes the accumulator.
func ifAnyBit(mask, what uint32) []instruction {
	return append([]instruction{{code: opAnd, k: mask}}, unlessEqual(0, what)...)
}

// onCall runs body if the accumulator is the number of a call, and then allows the call. The body
// has the instructions that refuse the call.
func onCall(number uint32, body []instruction) []instruction {
	list := append([]instruction{{code: opEqual, jf: uint8(len(body) + 1), k: number}}, body...)
	return append(list, ret(retAllow))
}
