package question

import "mews/supervisor"

// textsTooLate tell users that their answer no longer counts.
var textsTooLate = map[supervisor.PressResult]string{
	supervisor.PressExpired:       "This question has expired, so it counted as a no. Ask again for what you wanted.",
	supervisor.PressKeptAsMessage: "Your answer came too late: I went on without it. I read it as a new message now.",
	supervisor.PressQuestionCancelled: "The task behind this question was stopped or has ended, so nothing was done. " +
		"Ask again for what you wanted.",
}

const (
	textAnsweredBefore = "This was answered before: " // the text is followed by the answer, in lower case
	textSayIt          = "Answer in your own words: your next message is the answer."
	textForeign        = "This button does nothing here: it belongs to another person, another chat, or nothing at all."
)
