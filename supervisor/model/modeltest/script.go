package modeltest

import "time"

// Instant is a script that answers "ok" at once.
func Instant(Request) Answer { return Answer{Text: "ok"} }

// Echo is a script that repeats the user's newest message.
func Echo(r Request) Answer { return Answer{Text: "echo: " + r.Asked()} }

// Paced returns a script that sends answers slowly: in deltas of chunk bytes, with a delay before
// each.
func Paced(script Script, chunk int, delay time.Duration) Script {
	return func(r Request) Answer {
		a := script(r)
		a.Chunk, a.Delay = chunk, delay
		return a
	}
}

// Asked returns the user's newest message.
func (r Request) Asked() string {
	if at := r.asked(); at >= 0 {
		return r.Messages[at].Content
	}
	return ""
}

// asked returns the index of the user's newest message. It skips a user message that only has
// pictures of results. In chat completions, such a message follows the results.
func (r Request) asked() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		ofResults := i > 0 && r.Messages[i-1].Role == "tool" && len(r.Messages[i].Images) > 0
		if r.Messages[i].Role == "user" && !ofResults {
			return i
		}
	}
	return -1
}

// Done is a call since the user's newest message, with its result.
type Done struct {
	Call   Call
	Result string
}

// Done returns the calls since the user's newest message, in order.
func (r Request) Done() []Done {
	var done []Done
	for _, m := range r.Messages[r.asked()+1:] {
		for _, c := range m.Calls {
			done = append(done, Done{Call: c, Result: r.result(c.ID)})
		}
	}
	return done
}

// Seen returns the pictures since the user's newest message.
func (r Request) Seen() []Picture {
	var seen []Picture
	for _, m := range r.Messages[max(r.asked(), 0):] {
		seen = append(seen, m.Images...)
	}
	return seen
}

// result returns the newest result of a call. Ids may repeat in a long conversation.
func (r Request) result(id string) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].CallID == id {
			return r.Messages[i].Content
		}
	}
	return ""
}
