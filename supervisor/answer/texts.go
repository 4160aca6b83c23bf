package answer

import (
	"fmt"

	"mews/supervisor"
)

// In these texts {amount} is the question's amount in dollars.

// buttons are those of each kind of question, one row each. A code is sent, and not pressed.
var buttons = map[supervisor.QuestionKind][]struct {
	say  supervisor.Say
	text string
}{
	supervisor.QuestionBudget: {
		{supervisor.SayOnce, "Go on, up to {amount} more"},
		{supervisor.SayNo, "Stop"},
	},
	supervisor.QuestionApproval: {
		{supervisor.SayOnce, "Once"},
		{supervisor.SayAlways, "Always for exactly this"},
		{supervisor.SayNo, "Deny"},
	},
	supervisor.QuestionCode: {
		{supervisor.SayNo, "Deny"},
	},
}

// textsAnswered are what a person reads of their answer.
var textsAnswered = map[supervisor.QuestionKind]map[supervisor.Say]string{
	supervisor.QuestionBudget: {
		supervisor.SayOnce: "Going on, with up to {amount} more.",
		supervisor.SayNo:   "Not going on.",
	},
	supervisor.QuestionApproval: {
		supervisor.SayOnce:   "Allowed once.",
		supervisor.SayAlways: "Allowed from now on, for exactly this.",
		supervisor.SayNo:     "Denied.",
	},
	supervisor.QuestionCode: {
		supervisor.SayOnce: "Confirmed with a code.",
		supervisor.SayNo:   "Denied.",
	},
}

// textsEnded are what a person reads of a question that has ended without an answer.
var textsEnded = map[supervisor.QuestionEnd]string{
	supervisor.QuestionExpired:     "(Nobody answered in time.)",
	supervisor.QuestionOver:        "(Not asked any more: what asked this has ended.)",
	supervisor.QuestionUndelivered: "(This could not be delivered.)",
	supervisor.QuestionNotNeeded:   "(Not asked any more: it goes on without this.)",
}

// waits is what is said ahead of a question that somebody did not answer with what they wrote.
func waits(q supervisor.Question) string {
	if text, ok := textsWaits[q.Kind]; ok {
		return text
	}
	return fmt.Sprintf(textWaitsAsk, textsWanted[q.Ask.Kind])
}

var textsWaits = map[supervisor.QuestionKind]string{
	supervisor.QuestionBudget: "What you wrote is kept, and is read as soon as you have answered this, with a button or with “yes” or " +
		"“no”:",
	supervisor.QuestionApproval: "What you wrote is kept, and is read as soon as you have answered this, with a button or with “yes” or " +
		"“no”:",
	supervisor.QuestionCode: "What you wrote is kept, and is read once I have the code that I asked for. A code is six digits; “yes” is " +
		"not one:",
}

// yesOrNo are the whole texts that say yes or no, without their marks at the end, in small letters.
var yesOrNo = map[string]supervisor.Say{
	"yes": supervisor.SayOnce, "yes please": supervisor.SayOnce, "yes, please": supervisor.SayOnce,
	"no": supervisor.SayNo, "no thanks": supervisor.SayNo, "no, thanks": supervisor.SayNo,
	"no thank you": supervisor.SayNo, "no, thank you": supervisor.SayNo,
}
