package question

import "mews/supervisor"

// textsTooLate are what a person reads whose answer does not count any more.
var textsTooLate = map[supervisor.PressResult]string{
	supervisor.PressExpired: "This question has expired, so it counted as a no. Ask again for what you wanted.",
	supervisor.PressLate:    "You answer late, and I have gone on without it. I take it as a message now.",
	supervisor.PressEnded:   "What asked this was stopped or has ended, so nothing was done. Ask again for what you wanted.",
}

const (
	textAnsweredBefore = "This was answered before: " // and what was answered, with a small letter
	textSayIt          = "Say it in your own words: what you write next is the answer."
	textForeign        = "This button does nothing here: it belongs to another person, another chat, or nothing at all."
)
