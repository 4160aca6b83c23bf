package claim

import "regexp"

const englishWill = ` i(?: will| ll| am going to| m going to)(?: then| also| just| definitely| certainly| gladly` +
	`| happily| simply| automatically` +
	`| always| still| surely| personally| of course| be sure to| make sure to| now| keep)*`

func promisesEnglish() promises {
	return promises{
		firm: pattern(
			englishWill+` (?:remind|reminding|be reminding|wake|ping|nudge|notify|alert) (?:you|both|everyone|them`+
				`|him|her)`,
			englishWill+` (?:send|write|give|drop|post)(?: you)? (?:a|an|another)W? (?:reminder|notification|alert`+
				`|nudge|ping|heads-up)`,
			englishWill+` keep an eye on`, englishWill+` an eye on`,
			englishWill+` keep you (?:posted|updated|informed)`,
			englishWill+` you (?:posted|updated|informed)`,
			` you (?:will|ll) (?:get|receive)(?: a| an| another| your)W? (?:reminder|notification|ping)`,
			` you (?:will|ll) (?:get|receive)(?: a| another) message from me`, ` you (?:will|ll) hear from me`,
			` you (?:will|ll) be reminded`,
			` expect(?: a| another| my) (?:reminder|message|ping) from me`,
			` a (?:reminder|notification) will (?:reach|come|arrive|pop)`),
		event: pattern(
			englishWill+` (?:let (?:you|everyone|them) know|(?:tell|message|text|ask|warn|update|inform|send|write`+
				`|give|drop) you|write to you|send W{1,3} to you)`,
			englishWill+` (?:send|post) (?:the|a|an)`,
			englishWill+` (?:get back to you|follow up|reach out|report back|report to you|report|come back to`+
				`|be back|check in|check on you)`,
			englishWill+` (?:watch|monitor|watching|checking|track of)`, englishWill+` have(?: the| a| your)`,
			` you (?:will|ll) (?:get|receive)(?: a| an| another) (?:message|alert)`),
		timed: pattern(englishWill + ` (?:check|look|have a look)`),
		time:  pattern(englishTimes),
		later: pattern(englishTimes, ` (?:when|whenever|once the|once it|once she|once he|once they|once there|as`+
			` soon as|the moment|if|before|after|until)`),
		offer: regexp.MustCompile(` (?:if|when|once|whenever|unless|as soon as) you |^(?: ok| okay| please| just|` +
			` then| so| ,)*` +
			` (?:tell|say|give|pick|choose|confirm|reply|name|type|press|send|write|let) `),
		void: regexp.MustCompile(` (?:maybe|perhaps|not|never|t|might|could|would|can|if|whether|says|said` +
			`|story|bank|nobody)(?: |$)`),
		notIfFollows: regexp.MustCompile(`^ (?:that|a secret)(?: |$)`),
	}
}

const englishTimes = ` (?:tomorrow|tonight|later|daily|weekly|hourly|monthly|every|each|noon|midnight|evening` +
	`|mornings?|weekends?|weekdays?` +
	`|at (?:[0-9][^ ]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half)|inW{1,2} (?:seconds?` +
	`|minutes?|hours?|days?|weeks?|months?)` +
	`|in half an hour|on (?:the )?(?:mon|tues|wednes|thurs|fri|satur|sun)days?|(?:mon|tues|wednes|thurs|fri` +
	`|satur|sun)day` +
	`|on (?:the )?[0-9]+[^ ]*|next (?:week|month|year|mon|tues|wednes|thurs|fri|satur|sun)[^ ]*|[^ ]+ a day` +
	`|after [0-9]+ minutes)`

const germanYou = `(?: dich| euch| sie| dir| ihnen| allen| uns| beide)`

// germanVerb returns patterns for a verb after its subject, and for a verb before its subject.
func germanVerb(verbs, after string) string {
	return ` (?:ich(?: dann| auch)? (?:` + verbs + `)|(?:` + verbs + `) ich)` + after
}

func promisesGerman() promises {
	return promises{
		firm: pattern(
			germanVerb(`erinnere|erinner|wecke|weck|benachrichtige|alarmiere|stupse|pinge`, germanYou),
			` (?:ich (?:werde|werd)|(?:werde|werd) ich)`+germanYou+`?W{0,10} (?:erinnern|wecken|benachrichtigen`+
				`|anpingen|anstupsen|melden|warnen)`,
			germanVerb(`sage|sag|gebe|geb`, germanYou+`?W{0,8} bescheid`), germanVerb(`melde|meld`, ` mich`),
			germanVerb(`behalte|behalt`, `W{1,8} im (?:auge|blick)`), germanVerb(`halte|halt`,
				germanYou+`W{0,8} auf dem laufenden`),
			germanVerb(`schicke|schick|sende|schreibe|schreib`, germanYou+`W{0,6} (?:erinnerung|benachrichtigung)`),
			` (?:du (?:bekommst|erhältst|kriegst)|(?:bekommst|erhältst|kriegst) du)W{0,7} (?:erinnerung`+
				`|benachrichtigung|warnung)`,
			` (?:du (?:bekommst|erhältst|kriegst)|(?:bekommst|erhältst|kriegst) du)W{0,7} nachricht von mir`,
			` (?:du hörst|hörst du)W{0,7} von mir`, ` (?:du wirst|wirst du)W{0,7} erinnert`,
			` erreicht dich eine (?:erinnerung|nachricht)`),
		event: pattern(
			germanVerb(`schicke|schick|sende|schreibe|schreib|sage|sag|frage|frag|warne|warn|berichte`, germanYou),
			germanVerb(`sage|sag`, ` es`+germanYou),
			germanVerb(`achte|beobachte|überwache|hake|berichte`, ``), germanVerb(`komme|komm`, `W{1,8} (?:zurück|zu)`),
			germanVerb(`schicke|schick|sende`, `W{0,8} (?:erinnerung|nachricht)`),
			` (?:du (?:bekommst|erhältst|kriegst)|(?:bekommst|erhältst|kriegst) du)W{0,5} eine nachricht`),
		timed: pattern(germanVerb(`prüfe|schaue|schau|sehe|seh|frage|frag`, ``)),
		time:  pattern(germanTimes),
		later: pattern(germanTimes, ` (?:sobald|wenn|falls|bevor|nachdem|bis)`),
		offer: regexp.MustCompile(` (?:wenn|falls|sobald|solange) (?:du|ihr) |^(?: ok| okay| gut| bitte| dann| ,)*` +
			` (?:sag|gib|nenn|nenne|schick|schreib|wähl|wähle|bestätige|antworte|tipp|frag|erinnere) (?:mir|mich` +
			`|dich|bitte|einfach|die|das|den|eine|einen|mit|noch)(?: |$)`),
		void: regexp.MustCompile(` (?:nicht|nie|niemals|kein[^ ]*|vielleicht|könnte|würde|möchte|soll|sollte` +
			`|kann|ob|wollte|niemand|sagte|geschichte)(?: |$)`),
		voidFollows: true,
	}
}

const germanTimes = ` (?:morgen|übermorgen|später|täglich|wöchentlich|stündlich|monatlich|mittags|abends` +
	`|mitternacht|werktags|jede[nrs]?|nächste[nrs]?` +
	`|heute (?:abend|nacht|mittag)|(?:mon|diens|mittwoch|donners|frei|sams|sonn)[^ ]*s|(?:am|bis|vom) (?:[0-9]+` +
	`|(?:mon|diens|mittwoch|donners|frei|sams|sonn)[^ ]*|wochenende|abend|ende)` +
	`|um (?:[0-9][^ ]*|eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|halb|mitternacht)|inW{1,3}` +
	` (?:sekunden?|minuten?|stunden?|tagen?|wochen?|monaten?)` +
	`|nach [0-9]+ minuten|am tag|ende der woche|gleich nach)`

func promisesSpanish() promises {
	return promises{
		firm: pattern(` (?:te|os|le|les)(?: lo| la)? (?:recordaré|avisaré|despertaré|notificaré)`,
			` voy a (?:recordarte|recordártelo|avisarte|despertarte)`, ` recibirás un (?:recordatorio|aviso)`),
		offer: regexp.MustCompile(` (?:si|cuando) (?:quieres|quieras|me|lo|prefieres) |^(?: ,)* (?:dime|dame|elige` +
			`|confirma) `),
		void: regexp.MustCompile(` (?:no|nunca|quizá|quizás|podría|puedo|si)(?: |$)`),
	}
}

func promisesFrench() promises {
	return promises{
		firm: pattern(` je (?:te|vous)(?: le| la| l)? (?:rappellerai|préviendrai|réveillerai|notifierai|relancerai`+
			`|écrirai)`,
			` je vais (?:te|vous)(?: le)? (?:rappeler|prévenir|réveiller)`, ` (?:tu recevras|vous recevrez) un rappel`),
		offer: regexp.MustCompile(` (?:si|quand) (?:tu|vous) |^(?: ,)* (?:dis|dites|donne|donnez|confirme|confirmez) `),
		void:  regexp.MustCompile(` (?:ne|n|pas|jamais|peut-être|pourrais|peux|si)(?: |$)`),
	}
}
