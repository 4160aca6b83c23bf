package modeltest

import "sync/atomic"

// Fault turns an answer into a faulty answer.
type Fault func(Answer) Answer

// ScriptWithFaults returns a script whose first answers have one fault each. nil means no fault.
func ScriptWithFaults(script Script, faults ...Fault) Script {
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

// FaultFromFailureClass returns a fault: the request fails with an error of a class.
func FaultFromFailureClass(c FailureClass) Fault { return FaultFromFailure(Failure{Class: c}) }

// FaultFromFailure returns a fault: the request fails with a detailed error.
func FaultFromFailure(f Failure) Fault {
	return func(a Answer) Answer { a.Fail = &f; return a }
}

// FaultAfterAnswer returns a fault: the answer fails after its last delta.
func FaultAfterAnswer(c FailureClass) Fault { return FaultFromFailure(Failure{Class: c, Late: true}) }

// FaultCutStream returns a fault: the connection breaks after n bytes of the answer.
func FaultCutStream(n int) Fault {
	return func(a Answer) Answer { a.CutAfter = n; return a }
}

// FaultStalledStream returns a fault: the server falls silent after n bytes of the answer. If n is
// 0, it does not even send the headers.
func FaultStalledStream(n int) Fault {
	return func(a Answer) Answer { a.CutAfter, a.Hang = n, true; return a }
}

// FaultStopReason returns a fault: the model stops with the reason s.
func FaultStopReason(s StopReason) Fault {
	return func(a Answer) Answer { a.Stop = s; return a }
}

// FaultEmptyAnswer is a fault: the answer is empty.
func FaultEmptyAnswer(Answer) Answer { return Answer{} }

// FaultMalformedCall is a fault: the arguments of the last call are cut in half. It adds a call if
// there is none.
func FaultMalformedCall(a Answer) Answer {
	if len(a.Calls) == 0 {
		a.Calls = []Call{{Name: "list_files", Args: `{"path": "."}`}}
	}
	calls := append([]Call(nil), a.Calls...)
	last := &calls[len(calls)-1]
	last.Args = last.Args[:(len(last.Args)+1)/2]
	a.Calls = calls
	return a
}

// FaultUnknownTool is a fault: the answer calls a tool that was not offered.
func FaultUnknownTool(a Answer) Answer {
	a.Calls = []Call{{Name: "open_the_pod_bay_doors", Args: `{"now":true}`}}
	return a
}
