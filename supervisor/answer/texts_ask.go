package answer

import (
	"strings"

	"mews/protocol"
	"mews/supervisor"
)

// Texts of a model's question, for the user.
const (
	textYes          = "Yes"
	textNo           = "No"
	textDone         = "Done"
	textOther        = "Something else…"
	textSendLocation = "Send where I am"
	textSeveralHint  = "Answer with the numbers or words of the options, such as “1, 3”, “all” or “none”."
	textSkipHint     = "Write “skip” to skip this."
	textAnswer       = "➜ "
	textNone         = "None of them"
	textFiles        = "Your files"
)

// ticks begin an option's button, if several may be chosen. The key says whether the option is
// picked.
var ticks = map[bool]string{true: "☑ ", false: "☐ "}

var textsConfirmed = map[supervisor.AnswerChoice]string{supervisor.AnswerChoiceOnce: textYes,
	supervisor.AnswerChoiceNo: textNo}

// Parts of the sentence that tells the model an answer. The key of textsForModel says whether only
// options were chosen.
const textThey = "They"

// textYou names the author of a quoted question, for the model.
const textYou = "You"

// textEnoughAsked tells the model the maximum of questions in a turn.
const textEnoughAsked = "The user was asked %d questions in this turn, which is the maximum. Go on with " +
	"what you know, or say in your " +
	"answer what you still need."

var textsForModel = map[bool]string{true: " chose: ", false: " answered: "}

// textsSkipped tell the model that its question was skipped. The key is true if the user wrote
// nothing instead.
var textsSkipped = map[bool]string{
	true: "%s" + supervisor.SkippedQuestionText + "%s Go on without an answer: do what is safe, and say what you " +
		"have assumed.",
	false: "%s" + supervisor.NonAnswerPrefix + "%s" + supervisor.NonAnswerSuffix +
		" with that. Ask again only if you still need the answer.",
}

// textsNoAnswer tell the model why a question has no answer.
var textsNoAnswer = map[supervisor.QuestionEndReason]string{
	supervisor.QuestionExpired: "They have not answered in time. Go on without an answer: do what is safe, and " +
		"say what you have assumed, or say " +
		"what you still need. A late answer comes as a message of its own.",
	supervisor.QuestionUndelivered: "The question could not be delivered to them. Go on without an answer.",
	supervisor.QuestionNotNeeded:   "The question was withdrawn.",
	supervisor.QuestionCancelled:   "The question was withdrawn.",
}

// textsWanted name the answers that a kind of question takes.
var textsWanted = map[protocol.AskKind]string{
	protocol.AskKindChoice:   "a button, or the number or the words of one option",
	protocol.AskKindSeveral:  "buttons, or the numbers or words of the options, such as “1, 3”",
	protocol.AskKindConfirm:  "a button, or “yes” or “no”",
	protocol.AskKindText:     "your words",
	protocol.AskKindNumber:   "a number alone, such as 12 or 1.5",
	protocol.AskKindDate:     "a day, such as 2026-11-24, 24.11. or “tomorrow”, and perhaps a time, such as 18:00",
	protocol.AskKindLocation: "your place, as a location or in words",
	protocol.AskKindFile:     "a file",
}

const textWaitsAsk = "I kept your message for later. First answer this, with %s. /stop ends the task:"

// rows returns a number for each word: first for the words of the first list, first+1 for those of
// the second, and so on.
func rows(first int, lists ...string) map[string]int {
	m := map[string]int{}
	for i, list := range lists {
		for _, word := range strings.Fields(list) {
			m[word] = first + i
		}
	}
	return m
}

// Words of English, German, Spanish and French, without accents.
var (
	ordinals = rows(1,
		"first one erste erster erstes ersten eins primero primera primer uno una premier premiere un une",
		"second two zweite zweiter zweites zweiten zwei segundo segunda dos deuxieme seconde deux",
		"third three dritte dritter drittes dritten drei tercero tercera tercer tres troisieme trois",
		"fourth four vierte vierter viertes vierten vier cuarto cuarta cuatro quatrieme quatre",
		"fifth five funfte funfter funftes funften funf quinto quinta cinco cinquieme cinq",
		"sixth six sechste sechster sechstes sechsten sechs sexto sexta seis sixieme",
		"seventh seven siebte siebter siebtes siebten sieben septimo septima siete septieme sept",
		"eighth eight achte achter achtes achten acht octavo octava ocho huitieme huit",
		"ninth nine neunte neunter neuntes neunten neun noveno novena nueve neuvieme neuf",
		"tenth ten zehnte zehnter zehntes zehnten zehn decimo decima diez dixieme dix",
		"eleventh eleven elfte elfter elftes elften elf undecimo undecima once onzieme onze",
		"twelfth twelve zwolfte zwolfter zwolftes zwolften zwolf duodecimo duodecima doce douzieme douze")

	lastWords = strings.Fields("last letzte letzter letztes letzten ultimo ultima dernier derniere")

	allOrNone = map[string]bool{
		"all": true, "all of them": true, "everything": true, "alle": true, "alles": true, "todos": true, "todas": true, "todo": true,
		"tous": true, "toutes": true, "tout": true,
		"none": false, "none of them": false, "nothing": false, "keine": false, "keins": false, "nichts": false, "ninguno": false, "ninguna": false,
		"nada": false, "aucun": false, "aucune": false, "rien": false,
	}

	// skinTones are the modifiers of an emoji.
	skinTones = "\U0001F3FB\U0001F3FC\U0001F3FD\U0001F3FE\U0001F3FF"

	// thumbs are the emoji that say yes or no.
	thumbs = map[string]supervisor.AnswerChoice{"👍": supervisor.AnswerChoiceOnce, "👎": supervisor.AnswerChoiceNo}

	// confirms are whole texts that say yes or no.
	confirms = phrases(map[supervisor.AnswerChoice][]string{
		supervisor.AnswerChoiceOnce: {
			"yes|y|yeah|yep|yup|sure|ok|okay|fine|of course|all right|alright|go ahead|do it|yes do it|yes go ahead",
			"ja|jo|jawohl|klar|na klar|gern|gerne|ja gern|ja gerne|in ordnung|einverstanden|passt",
			"mach das|mach es|ja mach das|ja mach es|tu es",
			"si|claro|vale|de acuerdo|oui|bien sur|d'accord",
		},
		supervisor.AnswerChoiceNo: {
			"no|n|nope|nah|don't|do not|no don't|better not|no way|not now|cancel|cancel it|stop",
			"nein|nee|lieber nicht|nein lieber nicht|auf keinen fall|nicht|jetzt nicht|lass es|lass das|abbrechen",
			"non|mejor no|ahora no|pas maintenant",
		},
	})

	// skipWords are whole texts that skip a question.
	skipWords = phrases(map[bool][]string{true: {
		"skip|skip it|skip this|skip that|uberspringen|uberspring das|uberspring es|auslassen|omitir|saltar|passer",
	}})

	// patienceWords are whole texts of a user who will answer soon.
	patienceWords = phrases(map[bool][]string{true: {
		"wait|wait a moment|wait a minute|wait a second|one moment|a moment|one second|one sec",
		"just a second|just a moment|hold on|hang on|hm|hmm|let me check|let me see|let me think",
		"i'll check|i am checking|brb",
		"warte|warte mal|warte kurz|moment|moment mal|einen moment|sekunde|eine sekunde|kurz warten",
		"ich schaue nach|ich schau nach|ich schau mal|ich uberlege|ich uberlege noch|lass mich nachsehen|gleich",
	}})

	days = map[string]int{
		"today": 0, "heute": 0, "hoy": 0, "aujourd'hui": 0, "tomorrow": 1, "morgen": 1, "manana": 1, "demain": 1,
		"day after tomorrow": 2, "ubermorgen": 2, "pasado manana": 2, "apres-demain": 2, "yesterday": -1, "gestern": -1, "ayer": -1, "hier": -1,
	}

	weekdays = rows(
		0,
		"sunday sun sonntag domingo dimanche",
		"monday mon montag lunes lundi",
		"tuesday tue dienstag martes mardi",
		"wednesday wed mittwoch miercoles mercredi",
		"thursday thu donnerstag jueves jeudi",
		"friday fri freitag viernes vendredi",
		"saturday sat samstag sonnabend sabado samedi",
	)

	months = rows(
		1,
		"january jan januar enero janvier",
		"february feb februar febrero fevrier",
		"march mar marz marzo mars",
		"april apr abril avril",
		"may mai mayo",
		"june jun juni junio juin",
		"july jul juli julio juillet",
		"august aug agosto aout",
		"september sep sept septiembre septembre",
		"october oct oktober octubre octobre",
		"november nov noviembre "+
			"novembre",
		"december dec dezember diciembre decembre",
	)
)

// timeNames are words of times that are no days and no months, without accents.
var timeNames = wordSet(
	"noon midday midnight morning afternoon evening night tonight weekday weekdays weekend",
	"weekends workday workdays daily hourly weekly monthly yearly annually minute minutes min",
	"mins second seconds sec secs hour hours hr hrs day days week weeks month months year years",
	"mo fr sa so mittag mitternacht mittags morgens vormittag vormittags nachmittag nachmittags",
	"abend abends nacht nachts werktag werktags werktagen wochenende wochentags taglich stundlich",
	"wochentlich monatlich jahrlich minuten stunde stunden std sekunden tag tage tagen woche",
	"wochen monat monate monaten jahr jahre jahren uhr mediodia medianoche tarde noche diario",
	"diariamente minuto minutos hora horas dia dias semana semanas mes meses ano anos midi minuit",
	"matin soir nuit quotidien heure heures jour jours semaine semaines mois an ans",
)

// timeFillers are words that may stand in a time, but name no time alone.
var timeFillers = wordSet(
	"at in on every each next this from to until till for times time the of and or",
	"other last half quarter past am pm a p m o clock once by after twice before starting",
	"um im jeden jede jedes jeder alle nachsten nachste kommenden kommende diesen diese ab bis",
	"zum und oder halb viertel vor nach mal der die das den dem von letzten letzter ersten fruh",
	"las los la el en cada todos todas proximo proxima que viene de del y hasta le les",
	"l au chaque tous toutes prochain prochaine dans et du jusqu",
)

// wordSet returns the words of lists.
func wordSet(lists ...string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(strings.Join(lists, " ")) {
		set[word] = true
	}
	return set
}

// politeWords may follow any phrase.
var politeWords = []string{"", "please", "thanks", "thank you", "bitte", "danke", "por favor", "gracias",
	"s'il te plait", "s'il vous plait", "merci"}

// phrases maps each phrase to its meaning, also with polite words after the phrase. lists has the
// phrases of each meaning, separated by |.
func phrases[T comparable](lists map[T][]string) map[string]T {
	m := map[string]T{}
	for meaning, list := range lists {
		for phrase := range strings.SplitSeq(strings.Join(list, "|"), "|") {
			for _, polite := range politeWords {
				m[phraseOf(phrase+" "+polite)] = meaning
			}
		}
	}
	return m
}
