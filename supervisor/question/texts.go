package question

import "mews/supervisor"

// In these texts {amount} is the question's amount in dollars.

// textsButtons are the buttons of each kind of question, one row each.
var textsButtons = map[supervisor.QuestionKind][]struct {
	answer supervisor.Answer
	text   string
}{
	supervisor.QuestionBudget: {
		{supervisor.AnswerOnce, "Go on, up to {amount} more"},
		{supervisor.AnswerDeny, "Stop"},
	},
	supervisor.QuestionApproval: {
		{supervisor.AnswerOnce, "Once"},
		{supervisor.AnswerAlways, "Always for exactly this"},
		{supervisor.AnswerDeny, "Deny"},
	},
}

// textsAnswered are what a person reads of their answer.
var textsAnswered = map[supervisor.QuestionKind]map[supervisor.Answer]string{
	supervisor.QuestionBudget: {
		supervisor.AnswerOnce: "Going on, with up to {amount} more.",
		supervisor.AnswerDeny: "Not going on.",
	},
	supervisor.QuestionApproval: {
		supervisor.AnswerOnce:   "Allowed once.",
		supervisor.AnswerAlways: "Allowed from now on, for exactly this.",
		supervisor.AnswerDeny:   "Denied.",
	},
}

// textsTooLate are what a person reads whose answer does not count any more.
var textsTooLate = map[supervisor.PressResult]string{
	supervisor.PressExpired: "This question has expired, so it counted as a no. Ask again for what you wanted.",
	supervisor.PressEnded:   "What asked this was stopped or has ended, so nothing was done. Ask again for what you wanted.",
}

// answersInWords are the whole texts that answer a question, without their marks at the end, in small letters.
var answersInWords = map[string]supervisor.Answer{
	"yes": supervisor.AnswerOnce, "yes please": supervisor.AnswerOnce, "yes, please": supervisor.AnswerOnce,
	"no": supervisor.AnswerDeny, "no thanks": supervisor.AnswerDeny, "no, thanks": supervisor.AnswerDeny,
	"no thank you": supervisor.AnswerDeny, "no, thank you": supervisor.AnswerDeny,
}

const (
	textAnsweredBefore = "This was answered before: " // and what was answered, with a small letter
	textForeign        = "This button does nothing here: it belongs to another person, another chat, or nothing at all."
)
