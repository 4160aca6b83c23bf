package session

import (
	"fmt"
	"strings"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/reply"
)

// finalText is the text that the person gets: what was said, and truthfully how it ended when it did not end by itself.
func finalText(o outcome, said string, limits protocol.TurnLimits) string {
	if o.state == supervisor.InboundParked {
		return reply.Join(said, textParked(o.taken))
	}
	if o.why == protocol.WhyDone && strings.TrimSpace(said) == "" {
		return "(The model had nothing to say.)"
	}
	return reply.Join(said, endTexts[o.why](o, limits), textReplaced(o.end))
}

// textParked is what the person gets where a turn is given up that had taken in so many messages beside its first.
func textParked(taken int) string {
	if taken == 0 {
		return fmt.Sprintf("I had to give up on this message: it could not be worked on; %d attempts failed. "+
			"It is put aside and will not be tried again by itself. Send it again, perhaps in other words or in smaller parts; "+
			"the log says how each of them ended.", maxDeaths)
	}
	return fmt.Sprintf("I had to give up on your last %d messages, which I had taken together: they could not be worked on; "+
		"%d attempts failed. They are put aside and will not be tried again by themselves. Send them again one by one, perhaps "+
		"in other words; the log says how each attempt ended.", taken+1, maxDeaths)
}

// textReplaced says which model answered, where it was not the chosen one.
func textReplaced(end End) string {
	if end.Replaced == nil {
		return ""
	}
	return fmt.Sprintf("(Answered by %s: %s %s.)", end.Answered, end.Replaced.Spec, end.Replaced.Reason)
}

// endTexts says how a turn ended, in the person's words.
var endTexts = map[protocol.Why]func(outcome, protocol.TurnLimits) string{
	protocol.WhyDone: func(outcome, protocol.TurnLimits) string { return "" },
	protocol.WhyStopped: func(o outcome, _ protocol.TurnLimits) string {
		if o.superseded {
			return "(Stopped, because you wrote more. Nothing of it runs on; the next answer is to all of it.)"
		}
		return "(Stopped, as you asked. Nothing of it runs on.)"
	},
	protocol.WhySteps: func(_ outcome, l protocol.TurnLimits) string {
		return fmt.Sprintf("(Ended after %d steps, the most that one turn may take. Say “go on” and I continue.)", l.Steps)
	},
	protocol.WhyTime: func(_ outcome, l protocol.TurnLimits) string {
		return fmt.Sprintf("(Ended after %d minutes, the longest that one turn may take. Say “go on” and I continue.)",
			l.Seconds/60)
	},
	protocol.WhyRepeat: func(outcome, protocol.TurnLimits) string {
		return "(Ended because the model asked for the very same thing three times in a row. Other words may help.)"
	},
	protocol.WhyError: func(o outcome, _ protocol.TurnLimits) string {
		return "⚠ " + supervisor.ErrorMessage(o.end.Failure)
	},
}

// unanswered is what the model reads, in later turns, as the result of a call that this turn did not get to.
func unanswered(why protocol.Why) string {
	if why == protocol.WhyStopped {
		return "no result: the person stopped the turn; look before assuming that it was or was not done"
	}
	return "no result: the turn ended (" + string(why) + "); look before assuming that it was or was not done"
}
