package modeltest

import "time"

// Instant answers "ok" at once.
func Instant(Request) Answer { return Answer{Text: "ok"} }

// Echo says what the person last said.
func Echo(r Request) Answer { return Answer{Text: "echo: " + r.Asked()} }

// Paced is script with its answers cut into deltas of chunk bytes, and a wait before each.
func Paced(script Script, chunk int, delay time.Duration) Script {
	return func(r Request) Answer {
		a := script(r)
		a.Chunk, a.Delay = chunk, delay
		return a
	}
}

// Asked is the person's newest message.
func (r Request) Asked() string {
	if at := r.asked(); at >= 0 {
		return r.Messages[at].Content
	}
	return ""
}

// asked is its index. A user message with the pictures of results, which chat completions have
// right after them, is not meant.
func (r Request) asked() int {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		ofResults := i > 0 && r.Messages[i-1].Role == "tool" && len(r.Messages[i].Images) > 0
		if r.Messages[i].Role == "user" && !ofResults {
			return i
		}
	}
	return -1
}

// Done is a call that was made since the person's newest message, with its result.
type Done struct {
	Call   Call
	Result string
}

// Done are the calls since the person's newest message, in order.
func (r Request) Done() []Done {
	var done []Done
	for _, m := range r.Messages[r.asked()+1:] {
		for _, c := range m.Calls {
			done = append(done, Done{Call: c, Result: r.result(c.ID)})
		}
	}
	return done
}

// Seen are the pictures that came since the person's newest message.
func (r Request) Seen() []Picture {
	var seen []Picture
	for _, m := range r.Messages[max(r.asked(), 0):] {
		seen = append(seen, m.Images...)
	}
	return seen
}

// result is the newest result of a call: ids may come again in a long conversation.
func (r Request) result(id string) string {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		if r.Messages[i].CallID == id {
			return r.Messages[i].Content
		}
	}
	return ""
}
