package modeltest

import "sync/atomic"

// Fault changes an answer into a faulty one.
type Fault func(Answer) Answer

// Faulty returns a script whose first answers have the faults, one each. A nil fault changes
// nothing.
func Faulty(script Script, faults ...Fault) Script {
	var count atomic.Int64
	return func(r Request) Answer {
		n := int(count.Add(1)) - 1
		a := script(r)
		if n < len(faults) && faults[n] != nil {
			return faults[n](a)
		}
		return a
	}
}

// Fails makes a request fail.
func Fails(c Class) Fault { return FailsWith(Failure{Class: c}) }

// FailsWith makes a request fail in a detailed way.
func FailsWith(f Failure) Fault {
	return func(a Answer) Answer { a.Fail = &f; return a }
}

// FailsLate makes an answer fail after its last delta.
func FailsLate(c Class) Fault { return FailsWith(Failure{Class: c, Late: true}) }

// Cut breaks the connection after n bytes of the answer.
func Cut(n int) Fault {
	return func(a Answer) Answer { a.CutAfter = n; return a }
}

// Stalls falls silent after n bytes of the answer; with 0, before its headers.
func Stalls(n int) Fault {
	return func(a Answer) Answer { a.CutAfter, a.Hang = n, true; return a }
}

// Stops makes the model stop with the reason s.
func Stops(s Stop) Fault {
	return func(a Answer) Answer { a.Stop = s; return a }
}

// Empty replaces the answer by an empty one.
func Empty(Answer) Answer { return Answer{} }

// Malformed cuts the arguments of the answer's last call in half. Without a call it adds one.
func Malformed(a Answer) Answer {
	if len(a.Calls) == 0 {
		a.Calls = []Call{{Name: "list_files", Args: `{"path": "."}`}}
	}
	calls := append([]Call(nil), a.Calls...)
	last := &calls[len(calls)-1]
	last.Args = last.Args[:(len(last.Args)+1)/2]
	a.Calls = calls
	return a
}

// Unknown calls a tool that was not offered.
func Unknown(a Answer) Answer {
	a.Calls = []Call{{Name: "open_the_pod_bay_doors", Args: `{"now":true}`}}
	return a
}
