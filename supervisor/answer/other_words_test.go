package answer_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
)

// delivered returns the question as delivered, so that the user can have read it.
func delivered(q supervisor.Question) supervisor.Question {
	q.ExpiresAt = monday.Add(time.Hour)
	return q
}

// of makes a delivered question of a kind that only Mews asks, never a model.
func of(kind supervisor.QuestionKind) supervisor.Question {
	q := delivered(question(""))
	q.Kind, q.Ask = kind, protocol.AskArguments{}
	return q
}

// match returns the effect of a message while a question blocks the chat: "kept", "once", "deny",
// "instead", "skip", or the answer.
func match(q supervisor.Question, m supervisor.AnswerMessage) string {
	m.Now, m.Blocked, m.BelowQuestion = monday, true, true
	a, answers, reminds := answer.MatchAnswer(q, supervisor.Answer{}, m)
	q.End, q.Answer = supervisor.QuestionAnswered, a
	switch {
	case answers == reminds:
		return fmt.Sprintf("both or neither: %t", answers)
	case reminds:
		return "kept"
	case a.Skipped && a.Text != "":
		return "instead"
	case a.Skipped:
		return "skip"
	case a.Say != supervisor.AnswerChoiceOther:
		return string(a.Say)
	}
	return answer.AnswerText(q)
}

func TestMatchAnswer_UnrelatedText_EndsQuestion(t *testing.T) {
	options := []string{"Red", "Dark blue", "Zug um 9"}
	const unrelated = "what is the weather in Bonn?|Remind me to call Ann|forget it, tell me a joke|Thanks!|" +
		"I am at the dentist now|please translate this: bonjour|Wie wird das Wetter?|" +
		"Erinnere mich bitte an die Milch|vergiss es, erzähl einen Witz|Danke!|" +
		"Ich bin gerade beim Zahnarzt|übersetz das bitte: bonjour|🙂"
	for _, c := range []struct {
		name  string
		q     supervisor.Question
		texts map[string]string // maps an outcome to the texts that lead to it, separated by |
	}{
		{"choice", delivered(question(protocol.AskKindChoice, options...)), map[string]string{
			"instead":                    unrelated + "|neither of these|which would you take",
			"Dark blue":                  "the second one|2|Dark blue|zweite|das zweite",
			"the second one, but darker": "the second one, but darker",
			"ich nehme das zweite":       "ich nehme das zweite",
			"I would take red, I think":  "I would take red, I think",
			"lieber den Zug um 9 bitte":  "lieber den Zug um 9 bitte",
			"skip":                       "skip|Skip!|überspringen",
			"kept":                       "wait|Hm...|one moment please|let me check|Moment mal|ich schaue nach",
		}},
		{"several", delivered(question(protocol.AskKindSeveral, options...)), map[string]string{
			"instead":                unrelated,
			"Red, Dark blue":         "1 and 2|red, dark blue|die erste und die zweite",
			"all but the second one": "all but the second one",
			"skip":                   "skip it",
			"kept":                   "hold on|einen Moment",
		}},
		{"confirm", delivered(question(protocol.AskKindConfirm)), map[string]string{
			"instead":                 unrelated + "|maybe|vielleicht",
			"once":                    "yes|Yes, please!|go ahead|ja|Ja, bitte|klar|👍",
			"deny":                    "no|no, thanks|nein|lieber nicht|👎",
			"yes, but on Tuesday":     "yes, but on Tuesday",
			"ja, aber erst am Montag": "ja, aber erst am Montag",
			"no, do it later":         "no, do it later",
			"nein, mach es später":    "nein, mach es später",
			"skip":                    "skip this",
			"kept":                    "let me think|ich überlege noch",
		}},
		{"number", delivered(question(protocol.AskKindNumber)), map[string]string{
			"instead":         unrelated + "|I do not know|keine Ahnung",
			"12":              "12|12.",
			"about 12":        "about 12",
			"so um die 12":    "so um die 12",
			"twelve":          "twelve",
			"zwölf oder so":   "zwölf oder so",
			"between 3 and 5": "between 3 and 5",
			"skip":            "skip",
			"kept":            "one sec|Sekunde",
		}},
		{"date", delivered(question(protocol.AskKindDate)), map[string]string{
			"instead":                unrelated + "|whenever you like|irgendwann",
			"2026-11-24":             "tomorrow|morgen",
			"the Friday after next":  "the Friday after next",
			"am Freitag oder später": "am Freitag oder später",
			"in 3 weeks":             "in 3 weeks",
			"in 2 Wochen":            "in 2 Wochen",
			"skip":                   "skip",
			"kept":                   "wait a second|gleich",
		}},
		{"file", delivered(question(protocol.AskKindFile)), map[string]string{
			"instead": unrelated + "|I have none|ich habe keine",
			"skip":    "skip",
			"kept":    "one moment|warte",
		}},
		{"text", delivered(question(protocol.AskKindText)), map[string]string{
			"what is the weather?": "what is the weather?",
			"wait":                 "wait",
			"Skip":                 "Skip", // a valid text, because the user can skip by a button
			"nein":                 "nein",
		}},
		{"location", delivered(question(protocol.AskKindLocation)), map[string]string{
			"at home":  "at home",
			"zu Hause": "zu Hause",
			"skip":     "Skip",
		}},
		{"approval", of(supervisor.QuestionApproval), map[string]string{
			"instead": unrelated + "|yes, but on Tuesday|ja, aber nur an Ann|no, send the other one|" +
				"nein, nimm die andere Datei|send b.txt as well|what is in it?|was steht drin?",
			"once": "yes|Yes, please!|ok|sure, thanks|go ahead|ja|Ja, bitte.|klar|mach das|in Ordnung|👍|👍🏽",
			"deny": "no|No.|no thanks|don't|nein|nein danke|lieber nicht|👎",
			"skip": "skip|überspringen",
			"kept": "wait|let me check|Moment|warte kurz",
		}},
		{"budget", of(supervisor.QuestionBudget), map[string]string{
			"kept": unrelated + "|yes, but only 10 cents|ja, aber nur 10 Cent|how much was it?|wie viel war es?",
			"once": "yes|ok|go ahead|ja|klar|👍",
			"deny": "no|stop|nein|lieber nicht|👎",
			"skip": "skip",
		}},
		{"code", of(supervisor.QuestionLoginCode), map[string]string{
			"kept": unrelated + "|yes|ja|👍|no|nein|where do I find it?|wo finde ich ihn?",
			"skip": "skip|überspringen",
		}},
	} {
		for want, texts := range c.texts {
			for text := range strings.SplitSeq(texts, "|") {
				if got := match(c.q, supervisor.AnswerMessage{Text: text}); got != want {
					t.Errorf("%s: %q comes to %q, want %q", c.name, text, got, want)
				}
			}
		}
	}
}

// Only the user's own words end a question. They must come below the question, and must not be able
// to begin a turn.
func TestMatchAnswer_ForwardOrFile_EndsNoQuestion(t *testing.T) {
	choice, approval := delivered(question(protocol.AskKindChoice, "Red", "Blue")), of(supervisor.QuestionApproval)
	files := []protocol.ContentPart{{Text: "[photo]"}}
	type message = supervisor.AnswerMessage
	for name, c := range map[string]struct {
		q    supervisor.Question
		m    message
		want string
	}{
		"forwarded":                    {approval, message{Text: "do as I say", World: true}, "kept"},
		"forwarded, to a choice":       {choice, message{Text: "do as I say", World: true}, "kept"},
		"a photo":                      {choice, message{Text: "look", Parts: files}, "kept"},
		"a photo, to an approval":      {approval, message{Text: "look", Parts: files}, "kept"},
		"a reply to something else":    {approval, message{Text: "and this?", RepliesElsewhere: true}, "kept"},
		"a follow-up":                  {choice, message{Text: "red", Followup: true}, "kept"},
		"a very long text":             {approval, message{Text: strings.Repeat("long ", 2000)}, "kept"},
		"spoken words":                 {approval, message{Words: "What is in it?", Parts: files}, "instead"},
		"a spoken yes":                 {approval, message{Words: "Yes.", Parts: files}, "kept"},
		"spoken words, to a choice":    {choice, message{Words: "What is the weather?", Parts: files}, "instead"},
		"a spoken option, to a choice": {choice, message{Words: "The second.", Parts: files}, "Blue"},
	} {
		if got := match(c.q, c.m); got != c.want {
			t.Errorf("%s comes to %q, want %q", name, got, c.want)
		}
	}
	m := supervisor.AnswerMessage{Text: "what is the weather?", Now: monday, BelowQuestion: true}
	budget, code := of(supervisor.QuestionBudget), of(supervisor.QuestionLoginCode)
	for _, q := range []supervisor.Question{choice, approval, budget, code} {
		if a, answers, reminds := answer.MatchAnswer(q, supervisor.Answer{}, m); answers || reminds {
			t.Errorf("%s: a message that a turn can answer comes to %+v, reminds: %t", q.Kind, a, reminds)
		}
		unread := q
		unread.ExpiresAt = time.Time{}
		if got := match(unread, m); got != "kept" {
			t.Errorf("%s: before it was read a message comes to %q", q.Kind, got)
		}
	}
}

// The model gets the words that the user wrote instead of an answer.
func TestTextForModel_SkippedQuestion_QuotesUser(t *testing.T) {
	q := question(protocol.AskKindChoice, "Red", "Blue")
	q.End, q.Answer = supervisor.QuestionAnswered, supervisor.Answer{Say: supervisor.AnswerChoiceNo, Skipped: true}
	if got := answer.TextForModel(q); !strings.HasPrefix(got, "They skipped the question. Go on without") {
		t.Errorf("skipped: %q", got)
	}
	q.Answer.Text = "what is the weather?"
	const wrote = "They did not answer the question, and wrote instead:\nwhat is the weather?\n"
	if got := answer.TextForModel(q); !strings.HasPrefix(got, wrote) {
		t.Errorf("other words: %q", got)
	}
}

// Every question can be skipped: by a button, or by a word that its text names.
func TestQuestionButtons_EveryKind_HasSkip(t *testing.T) {
	press := func(word string) string { return word }
	var all []supervisor.Question
	for _, kind := range []supervisor.QuestionKind{"budget", "approval", "code"} {
		all = append(all, of(kind))
	}
	for kind := range strings.FieldsSeq("choice several confirm text number date location file") {
		all = append(all, delivered(question(protocol.AskKind(kind), "Red", "Blue")))
	}
	for _, q := range all {
		for _, channel := range []supervisor.Channel{supervisor.ChannelTelegram, supervisor.ChannelTerminal} {
			q.Conversation.Channel = channel
			rows := answer.QuestionButtons(q, supervisor.Answer{}, press)
			button := len(rows) > 0 && rows[len(rows)-1][0] == supervisor.Button{Text: "Skip", Press: "skip"}
			byWord := q.Kind == supervisor.QuestionFromModel &&
				strings.HasSuffix(answer.QuestionText(q), "Write “skip” to skip this.")
			if button == byWord {
				t.Errorf("%s %s on %s: by a button: %t, by a word: %t", q.Kind, q.Ask.Kind, channel, button, byWord)
			}
			a, came := answer.ParsePress(q, supervisor.Answer{}, "skip")
			if came != supervisor.PressAccepted || !a.Skipped || a.Say != supervisor.AnswerChoiceNo {
				t.Errorf("%s %s: a press came to %s, %+v", q.Kind, q.Ask.Kind, came, a)
			}
			if !button {
				if got := match(q, supervisor.AnswerMessage{Text: "skip"}); got != "skip" {
					t.Errorf("%s on %s: the word comes to %q", q.Ask.Kind, channel, got)
				}
			}
		}
	}
}
