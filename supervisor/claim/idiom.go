package claim

import (
	"regexp"
	"sync"
)

// An idiom claims a deed in words that the table of verbs can't tell from other meanings, as in
// "the timer is running". Its pattern matches a whole sentence in the form of sentence.pattern.
type idiom struct {
	kind DeedKind
	says *regexp.Regexp
}

// Words that may stand before and after an idiom.
const (
	beforeIdiom = `^(?: ,| ok| okay| done| great| sure| all set| so| and| now| gut| erledigt| fertig| alles klar)*`
	afterIdiom  = `(?: ,)*(?: (?:for|until|till|on|at|from|für|bis|um|am|auf)(?: [^ ,]+){1,6})?(?: ,)*$`
)

// idioms are compiled at the first use, like the patterns of promises.
var idioms = sync.OnceValue(func() (list []idiom) {
	for _, i := range []struct {
		kind DeedKind
		says string
	}{
		{DeedSchedule, `(?: the| your)?(?: [^ ,]+)? (?:reminder|alarm|timer|countdown|appointment) (?:is|s)` +
			`(?: now)? (?:place|running|ticking)`}, // "in place" is one token with the word "place"
		{DeedSchedule, ` (?:der|dein)(?: [^ ,]+)? (?:timer|wecker|countdown) läuft(?: jetzt)?`},
		{DeedRemember, ` i(?: will| ll)(?: definitely| certainly)? (?:(?:keep|bear) (?:that|this|it) in mind` +
			`|remember (?:that|this|it))` +
			` (?:for next time|for the future|from now on|in(?: the)? future|going forward)`},
		{DeedRemember, ` (?:ich behalte das|das behalte ich) (?:fürs nächste mal|für das nächste mal|künftig)` +
			` im hinterkopf`},
		{DeedSend, ` (?:die|deine) (?:[^ ,]*nachricht|[^ ,]*mail|sms|einladung) ist(?: jetzt| schon| nun)?` +
			` (?:raus|rausgegangen)`},
		{DeedWrite, ` (?:die|das|der)(?: neue)? (?:datei|ordner|verzeichnis|notiz|#)(?: #)? wurde(?: jetzt| nun)?` +
			` (?:angelegt|erstellt)`},
	} {
		list = append(list, idiom{i.kind, regexp.MustCompile(beforeIdiom + i.says + afterIdiom)})
	}
	return list
})
