package modeltest

import "sync/atomic"

// Fault turns an answer into a faulty one.
type Fault func(Answer) Answer

// Faulty returns a script whose first answers have one fault each. nil means no fault.
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

// Fails returns a fault: the request fails with an error of a class.
func Fails(c Class) Fault { return FailsWith(Failure{Class: c}) }

// FailsWith returns a fault: the request fails with a detailed error.
func FailsWith(f Failure) Fault {
	return func(a Answer) Answer { a.Fail = &f; return a }
}

// FailsLate returns a fault: the answer fails after its last delta.
func FailsLate(c Class) Fault { return FailsWith(Failure{Class: c, Late: true}) }

// Cut returns a fault: the connection breaks after n bytes of the answer.
func Cut(n int) Fault {
	return func(a Answer) Answer { a.CutAfter = n; return a }
}

// Stalls returns a fault: the server falls silent after n bytes of the answer. If n is 0, it does
// not even send the headers.
func Stalls(n int) Fault {
	return func(a Answer) Answer { a.CutAfter, a.Hang = n, true; return a }
}

// Stops returns a fault: the model stops with the reason s.
func Stops(s Stop) Fault {
	return func(a Answer) Answer { a.Stop = s; return a }
}

// Empty is a fault: the answer is empty.
func Empty(Answer) Answer { return Answer{} }

// Malformed is a fault: the arguments of the last call are cut in half. It adds a call if there is
// none.
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

// Unknown is a fault: the answer calls a tool that was not offered.
func Unknown(a Answer) Answer {
	a.Calls = []Call{{Name: "open_the_pod_bay_doors", Args: `{"now":true}`}}
	return a
}
