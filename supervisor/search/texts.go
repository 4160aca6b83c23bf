package search

// Answers of the search tools to the model.
const (
	textInHistory    = "all messages"
	textInHome       = "the text files of the home"
	textNothing      = "No match in %s for any of the words %q. Try other words, in the language of the text, or only the dates.\n"
	textNothingSaid  = "Nothing was said in that time."
	textNoQuery      = "Give words to search for, or dates in from and to."
	textNoWords      = "Give words to search for."
	textNoWho        = "who is %q; it must be person or assistant."
	textMoreForModel = "(There are more matches: use rarer words, or dates.)\n"
	textShown        = "(Messages of this conversation that you still see are left out.)\n"
	textGoesOn       = "(More follows. Search again from %s.)\n"
	textFileHit      = "%s, line %d"
	textGroup        = "%s group %s"
	textHitTime      = "Mon 2 Jan 2006 15:04"
	textWordless     = "(no words)"
	textSentBefore   = " [Mews had sent: %s]" // names the jobs' messages that came before the user's words
	textNoMessage    = "There is no message %d here."
	textReadMessage  = "Message %d, %s, %s, %s:\n%s" // values: number, time, conversation, speaker, words of a message
	textToolResult   = "a tool"
	textGoesOnUnread = "\n[The rest of the message is too long to show.]"
)

// neighbourLabels is the beginning of a neighbour's line. The key says whether the neighbour comes
// after the hit.
var neighbourLabels = map[bool]string{false: "before: ", true: "after: "}

// Answers of /search and /history.
const (
	textPersonNothing = "I found nothing with these words. Try other words, in the language of the text. /history with a day shows all of that day.\n"
	textPersonHit     = "%d. %s, %s, %s: %s\n"
	textPersonFile    = "%d. %s, line %d: %s\n"
)

// Texts of mews search and mews history.
const (
	textNoSource     = "%q can't be searched: choose history or home, or leave it out for both."
	textNothingFound = "Nothing was found.\n"
	textFromOthers   = " (with others' words)"
)

// The usage text of /search and /history, and the labels of their buttons.
const (
	textSearchUsage = "Write “/search WORDS”. “/history 2026-11-20” shows what was said on a day."
	textNextButton  = "The next 10"
)
