package sandbox

import (
	"encoding/binary"
	"fmt"
)

// call is a system call as a filter sees it: struct seccomp_data.
type call struct {
	number uint32
	arch   uint32
	args   [6]uint64
}

// bytes returns the call's form in memory, on the machines that have tables in this package.
func (c call) bytes() []byte {
	b := binary.LittleEndian.AppendUint32(nil, c.number)
	b = binary.LittleEndian.AppendUint32(b, c.arch)
	b = binary.LittleEndian.AppendUint64(b, 0) // the instruction pointer, which no filter reads
	for _, arg := range c.args {
		b = binary.LittleEndian.AppendUint64(b, arg)
	}
	return b
}

// evaluate runs a program on a call as the kernel does. It returns an error for a program that the
// kernel would refuse to load.
func evaluate(program []instruction, c call) (uint32, error) {
	about, acc := c.bytes(), uint32(0)
	for at := 0; at < len(program); at++ {
		in := program[at]
		jump := map[uint16]bool{opEqual: acc == in.k, opAtLeast: acc >= in.k, opAbove: acc > in.k}
		switch taken, jumps := jump[in.code]; {
		case jumps && taken:
			at += int(in.jt)
		case jumps:
			at += int(in.jf)
		case in.code == opLoad && in.k%4 == 0 && int(in.k) < len(about):
			acc = binary.LittleEndian.Uint32(about[in.k:])
		case in.code == opAnd:
			acc &= in.k
		case in.code == opReturn:
			return in.k, nil
		default:
			return 0, fmt.Errorf("instruction %d: %+v", at, in)
		}
	}
	return 0, fmt.Errorf("it runs out of its end")
}

// checkJumps follows every path through a program. Each jump must land inside the program, and each
// path must end in a return. Every instruction must be on a path, except a return after another
// return.
func checkJumps(program []instruction) error {
	reached := make([]bool, len(program)+256)
	reached[0] = true
	for at, in := range program {
		if !reached[at] && in.code == opReturn {
			continue
		}
		if !reached[at] {
			return fmt.Errorf("instruction %d is never reached", at)
		}
		next := []int{at + 1}
		switch in.code {
		case opReturn:
			next = nil
		case opEqual, opAtLeast, opAbove:
			next = []int{at + 1 + int(in.jt), at + 1 + int(in.jf)}
		}
		for _, n := range next {
			if n >= len(program) {
				return fmt.Errorf("instruction %d leads to %d, and %d is the last", at, n, len(program)-1)
			}
			reached[n] = true
		}
	}
	return nil
}
