package session

import (
	"fmt"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/problem"
	"mews/supervisor/reply"
)

// Texts of answers, which follow the model's text.
const (
	textNothingSaid = "(The model had nothing to say.)"
	textOnlyEffects = "(The model had nothing to say. Its actions are listed below.)"
	textStopped     = "(Stopped, as you asked.)"
	textSuperseded  = "(Stopped, because you wrote more. The next answer covers all your messages.)"
	textSteps       = "(I stopped after %s, the most for one answer. Say “go on” and I continue.)"
	textTime        = "(I stopped after %s, the longest for one answer. Say “go on” and I continue.)"
	textRepeat      = "(I stopped because I was going in circles: the very same thing three times in a row. Other words may " +
		"help.)"
	textFailure = "⚠ %s"
	textRefused = "⚠ %s\n\n(I removed your question, and all that I did for it, from our conversation. A model that still " +
		"sees what it declined keeps declining. If it declines the next message too, /new begins a new topic.)"
	textReplaced = "(Answered by %s: %s %s.)"

	textParked = "I had to give up on this message: your assistant crashed in each of %d attempts. I do not try it again " +
		"by myself. You can, also in other words or in smaller parts. An admin finds in the log how each attempt ended."
	textParkedMany = "I had to give up on your last %d messages, which I had taken together: your assistant crashed in each of " +
		"%d attempts. I do not try them again by myself. You can, also one by one or in other words. An admin finds " +
		"in " +
		"the log how each attempt ended."

	textCannotStart = "Your assistant can't be started: %s. I try again from time to time, and go on with what you sent " +
		"as soon as it runs; nothing of it is lost."
	textKeepsDying = "Your assistant has crashed several times in a row. I start it again at %s and then go on with what you " +
		"sent; nothing of it is lost. An admin may find the cause in the log, or with `mews doctor`."
)

// endTexts maps the reason of a turn's end to the function that makes its sentence. A finished turn
// has none.
var endTexts = map[protocol.TurnEndReason]func(outcome, protocol.TurnLimits) string{
	protocol.TurnEndDone: func(outcome, protocol.TurnLimits) string { return "" },
	protocol.TurnEndStopped: func(o outcome, _ protocol.TurnLimits) string {
		if o.superseded {
			return textSuperseded
		}
		return textStopped
	},
	protocol.TurnEndStepLimit: func(_ outcome, l protocol.TurnLimits) string {
		return fmt.Sprintf(textSteps, amount.Plural(l.Steps, "step", "steps"))
	},
	protocol.TurnEndTimeLimit: func(_ outcome, l protocol.TurnLimits) string {
		return fmt.Sprintf(textTime, amount.FormatDuration(time.Duration(l.Seconds)*time.Second))
	},
	protocol.TurnEndRepetition: func(outcome, protocol.TurnLimits) string { return textRepeat },
	protocol.TurnEndError: func(o outcome, _ protocol.TurnLimits) string {
		return fmt.Sprintf(textFailure, problem.UserText(o.end.Failure))
	},
	protocol.TurnEndRefused: func(o outcome, _ protocol.TurnLimits) string {
		return fmt.Sprintf(textRefused, problem.UserText(o.end.Failure))
	},
}

// finalText returns the answer of a turn: the model's text, and why the turn did not finish.
func finalText(o outcome, said string, limits protocol.TurnLimits) string {
	replaced := ""
	if r := o.end.Replaced; r != nil {
		replaced = fmt.Sprintf(textReplaced, o.end.AnsweredBy, r.Spec, r.Reason)
	}
	switch {
	case o.state == supervisor.InboundParked && o.taken == 0:
		return reply.JoinSteps(said, fmt.Sprintf(textParked, maxDeaths))
	case o.state == supervisor.InboundParked:
		return reply.JoinSteps(said, fmt.Sprintf(textParkedMany, o.taken+1, maxDeaths))
	case o.why == protocol.TurnEndDone && strings.TrimSpace(said) == "":
		return textNothingSaid
	}
	return reply.JoinSteps(said, endTexts[o.why](o, limits), replaced)
}

// notice returns the text about the error for the user.
func (e *NoWorkerError) notice() string {
	if e.Why != "" {
		return fmt.Sprintf(textCannotStart, e.Why)
	}
	return fmt.Sprintf(textKeepsDying, e.Until.Format("15:04:05"))
}

// unanswered returns the result of a call that this turn did not run. Later requests show this
// result to the model.
func unanswered(why protocol.TurnEndReason) string {
	if why == protocol.TurnEndStopped {
		return "no result: the person stopped the turn; look before assuming that it was or was not done"
	}
	return "no result: the turn ended (" + string(why) + "); look before assuming that it was or was not done"
}
