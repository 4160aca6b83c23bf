package answer

import (
	"fmt"

	"mews/supervisor"
)

// In these texts {amount} is the question's amount in dollars.

// buttons maps each kind of question to its buttons, each in a row of its own. A user types the
// code, so a question for a code has no button for it.
var buttons = map[supervisor.QuestionKind][]struct {
	say  supervisor.AnswerChoice
	text string
}{
	supervisor.QuestionBudget: {
		{supervisor.AnswerChoiceOnce, "Go on, up to {amount} more"},
		{supervisor.AnswerChoiceNo, "Stop"},
	},
	supervisor.QuestionApproval: {
		{supervisor.AnswerChoiceOnce, "Once"},
		{supervisor.AnswerChoiceAlways, "Always for exactly this"},
		{supervisor.AnswerChoiceNo, "Deny"},
	},
	supervisor.QuestionLoginCode: {
		{supervisor.AnswerChoiceNo, "Deny"},
	},
}

// textsAnswered tell users their answer.
var textsAnswered = map[supervisor.QuestionKind]map[supervisor.AnswerChoice]string{
	supervisor.QuestionBudget: {
		supervisor.AnswerChoiceOnce: "Going on, with up to {amount} more.",
		supervisor.AnswerChoiceNo:   "Stopped.",
	},
	supervisor.QuestionApproval: {
		supervisor.AnswerChoiceOnce:   "Allowed once.",
		supervisor.AnswerChoiceAlways: "Allowed from now on, for exactly this.",
		supervisor.AnswerChoiceNo:     "Denied.",
	},
	supervisor.QuestionLoginCode: {
		supervisor.AnswerChoiceOnce: "Confirmed with a code.",
		supervisor.AnswerChoiceNo:   "Denied.",
	},
}

// textsEnded tell users why a question ended without an answer.
var textsEnded = map[supervisor.QuestionEndReason]string{
	supervisor.QuestionExpired:     "(Nobody answered in time.)",
	supervisor.QuestionCancelled:   "(No longer needed: the task has ended.)",
	supervisor.QuestionUndelivered: "(This could not be delivered.)",
	supervisor.QuestionNotNeeded:   "(No longer needed: I go on without your answer.)",
}

// reminderIntro returns the beginning of a reminder's text.
func reminderIntro(q supervisor.Question) string {
	if text, ok := textsWaits[q.Kind]; ok {
		return text
	}
	return fmt.Sprintf(textWaitsAsk, textsWanted[q.Ask.Kind])
}

// textsWaits begin a reminder. No model can be called before a question about money or a code has
// ended. The texts for these kinds say how to end the task.
var textsWaits = map[supervisor.QuestionKind]string{
	supervisor.QuestionBudget: "I kept your message for later. First answer this question about the cost, with a " +
		"button, “yes” or “no”. /stop ends the task:",
	supervisor.QuestionApproval: "I kept your message for later. First answer this, with a button, or with “yes” or " +
		"“no”. /stop ends the task:",
	supervisor.QuestionLoginCode: "I kept your message for later. First send the code: six " +
		"digits, “yes” is not enough. /stop ends the task:",
}

// Texts about questions that the user has skipped.
const (
	textSkip         = "Skip"
	textSkipped      = "Skipped"
	textSkippedNote  = "(Skipped.)"
	textWroteInstead = "(Not answered. I go on with what you wrote.)"
)
