package search

// What a model reads of a search.
const (
	textInHistory    = "all messages"
	textInHome       = "the text files of the home"
	textNothing      = "Nothing found: %s were searched for any of the words %q. Try other words, in the language in which it was said or written, or only the dates.\n"
	textNothingSaid  = "Nothing was said in that time."
	textNoQuery      = "Say which words, or from when to when."
	textNoWords      = "Say which words."
	textNoWho        = "who is %q; it must be person or assistant."
	textMoreForModel = "(There are more: use rarer words, or dates.)\n"
	textShown        = "(What you are shown of this conversation has such words too. It was left out.)\n"
	textGoesOn       = "(It goes on from %s: ask from then.)\n"
	textFileHit      = "%s, line %d"
	textGroup        = "%s group %s"
	textHitTime      = "Mon 2 Jan 2006 15:04"
	textWordless     = "(no words)"
)

// beside begins the line of a neighbour, by whether it comes after.
var beside = map[bool]string{false: "before: ", true: "after: "}

// What a person reads of a search.
const (
	textPersonNothing = "I found nothing with such words. Other words may do, in the language in which it was said; /history with a day shows all of that day.\n"
	textPersonHit     = "%d. %s, %s, %s: %s\n"
	textPersonFile    = "%d. %s, line %d: %s\n"
)

// Of searches, and of what was said.
const (
	textNoSource     = "%q can't be searched: it is history, home, or both, where nothing is said."
	textNothingFound = "Nothing was found.\n"
	textFromOthers   = " (with others' words)"
)

// /search and /history.
const (
	textSearchUsage = "Write “/search WORDS”. “/history 2026-11-20” shows what was said on a day."
	textNextButton  = "The next 10"
)
