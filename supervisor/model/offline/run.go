package offline

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
)

// maxCalls is how many tools one turn may use.
const maxCalls = 8

// run plays a plan from its beginning, each time that the model is called. A tool call that the turn has made already
// is answered from the transcript; at the first one that it has not, the play stops and the call is what the model says.
type run struct {
	book    *book
	past    transcript      // before the message that is answered
	steps   []step          // what this turn has done
	offered []protocol.Tool // what it may use
	now     command         // what is being done

	played  int                // steps passed so far
	pending *protocol.ToolCall // the call to make next; what is said is then dropped
	ended   bool               // the rest of the plan is not to be done
	said    []string           // paragraphs of the answer
}

// args are a call's arguments.
type args map[string]any

// play runs the plan's commands until one needs a tool, or to the end.
func (r *run) play(p plan) protocol.Message {
	for i, c := range p {
		r.now = c
		c.intent.do(r, c.slots)
		if r.pending != nil {
			return protocol.Message{Role: protocol.RoleAssistant, Parts: []protocol.Part{{Call: r.pending}}}
		}
		if r.ended && i+1 < len(p) {
			r.leaveRest()
			break
		}
	}
	return textMessage(strings.Join(r.said, "\n\n"))
}

// leaveRest says that the plan ends early. A question stays last, because that is how its answer finds it.
func (r *run) leaveRest() {
	at := len(r.said)
	if strings.HasSuffix(r.said[at-1], "?") {
		at--
	}
	r.said = slices.Insert(r.said, at, "I did not go on with the rest of what you asked.")
}

// say adds a paragraph to the answer.
func (r *run) say(format string, values ...any) {
	r.said = append(r.said, fmt.Sprintf(format, values...))
}

// end adds the answer's last paragraph: nothing more of the plan is done.
func (r *run) end(format string, values ...any) {
	r.say(format, values...)
	r.ended = true
}

// ask ends with one of the command's own questions.
func (r *run) ask(slot string) {
	for _, n := range r.now.intent.needs {
		if n.slot == slot {
			r.end("%s", n.question(r.now.slots))
		}
	}
}

// call uses a tool. With ok false its result is not known, the caller does no more and returns: the call is yet to be
// made, or cannot be.
func (r *run) call(tool string, a args) (result protocol.ToolResult, ok bool) {
	if r.pending != nil || r.ended {
		return protocol.ToolResult{}, false
	}
	if r.played < len(r.steps) {
		made := r.steps[r.played]
		r.played++
		if made.call.Name != tool {
			r.end("This turn was begun in a way that I cannot follow: it used %s where I would use %s. "+
				"Please ask again.",
				made.call.Name, tool)
			return protocol.ToolResult{}, false
		}
		return made.result, true
	}
	r.make(tool, a)
	return protocol.ToolResult{}, false
}

// make has the next call made, if it may be.
func (r *run) make(tool string, a args) {
	if !slices.ContainsFunc(r.offered, func(t protocol.Tool) bool { return t.Name == tool }) {
		r.end("For that I would need the tool %s, and I do not have it here.", tool)
		return
	}
	if r.played >= maxCalls {
		r.end("I have used %d tools for this message, and I stop there. Please ask for the rest separately.", maxCalls)
		return
	}
	arguments, err := json.Marshal(a)
	if err != nil {
		r.end("I could not write down the arguments of %s: %v.", tool, err)
		return
	}
	r.pending = &protocol.ToolCall{ID: strconv.Itoa(r.played + 1), Name: tool, Arguments: arguments}
}

// result uses a tool as call does, and tells a failure itself: action is what was tried, as in "read notes.md".
func (r *run) result(action, tool string, a args) (text string, ok bool) {
	result, ok := r.call(tool, a)
	if !ok {
		return "", false
	}
	if result.Failed {
		r.end("%s", failure(action, result))
		return "", false
	}
	return result.Text, true
}
