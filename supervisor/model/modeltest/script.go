package modeltest

import "time"

// AnswerOKScript is a script that answers "ok" at once.
func AnswerOKScript(Request) Answer { return Answer{Text: "ok"} }

// EchoScript is a script that repeats the user's newest message.
func EchoScript(r Request) Answer { return Answer{Text: "echo: " + r.NewestUserMessage()} }

// SlowScript returns a script that sends answers slowly. Each delta has chunk bytes and comes
// after a delay.
func SlowScript(script Script, chunk int, delay time.Duration) Script {
	return func(r Request) Answer {
		a := script(r)
		a.Chunk, a.Delay = chunk, delay
		return a
	}
}

// NewestUserMessage returns the user's newest message.
func (r Request) NewestUserMessage() string {
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

// AnsweredCall is a call since the user's newest message, with its result.
type AnsweredCall struct {
	Call   Call
	Result string
}

// AnsweredCalls returns the calls since the user's newest message, in order.
func (r Request) AnsweredCalls() []AnsweredCall {
	var done []AnsweredCall
	for _, m := range r.Messages[r.asked()+1:] {
		for _, c := range m.Calls {
			done = append(done, AnsweredCall{Call: c, Result: r.result(c.ID)})
		}
	}
	return done
}

// NewestPictures returns the pictures since the user's newest message.
func (r Request) NewestPictures() []Picture {
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
