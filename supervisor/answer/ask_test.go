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

// question returns a model's question, asked in a private chat on Telegram.
func question(kind protocol.AskKind, options ...string) supervisor.Question {
	return supervisor.Question{
		Conversation: supervisor.Conversation{User: "alice", Channel: supervisor.ChannelTelegram, Chat: "42"},
		Kind:         supervisor.QuestionFromModel,
		Text:         "Which?",
		Ask:          protocol.AskArguments{Kind: kind, Text: "Which?", Options: options, Zone: "Europe/Madrid"},
	}
}

// monday is a time at which it is Monday in Madrid and still Sunday in London.
var monday = time.Date(2026, 11, 22, 23, 30, 0, 0, time.UTC)

// answerForModel returns the text for the model if a text answers q; "" if the text is no answer.
func answerForModel(q supervisor.Question, draft supervisor.Answer, text string) string {
	a, ok := answer.ParseMessage(q, draft, supervisor.AnswerMessage{Text: text, Now: monday})
	if !ok {
		return ""
	}
	q.End, q.Answer = supervisor.QuestionAnswered, a
	return answer.TextForModel(q)
}

func TestParseMessage_Choice_FindsOption(t *testing.T) {
	q := question(protocol.AskKindChoice, "Red", "Dark blue", "Dark green", "7")
	for option, texts := range map[string]string{
		"Red": "1|1.|1)|#1|red|RED.|re|“Red”|the first|first one|option 1|1st|one|der erste|la primera|le " +
			"premier|Eins",
		"Dark blue":  "2|dark blue|Dark  Blue!|dark b|the second one|zweite|segunda|deuxième|2nd",
		"Dark green": "3|the third|dark g|drei",
		"7":          "7|4|the last|last|die letzte|último|le dernier",
		"":           "dark|5|0|-1|1.5|the thirteenth|blue|yes|99999999999999999999||.|?|the one that I like",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			want := "They chose: " + option
			if option == "" {
				want = ""
			}
			if got := answerForModel(q, supervisor.Answer{}, text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
	q.Ask.Other = true
	if got := answerForModel(q, supervisor.Answer{},
		"the one that I like"); got != "They answered: the one that I like" {
		t.Errorf("something else is %q", got)
	}
}

func TestParseMessage_SeveralChoices_FindsOptions(t *testing.T) {
	q := question(protocol.AskKindSeveral, "Salt", "Salt, pepper", "Oil", "Vinegar")
	for texts, want := range map[string]string{
		"1, 3 and 4|4 3 1|salt, oil & vinegar|1;3;4|the first, the third and the last|Salt und Oil und Vinegar": "They chose: Salt, Oil, Vinegar",
		"all|Alle|todas|tout":             "They chose: Salt, Salt, pepper, Oil, Vinegar",
		"none|nothing|keine|ninguna|rien": "They answered: None of them",
		"3|oil|3, 3|o":                    "They chose: Oil",
		"salt, pepper":                    "They chose: Salt, pepper",
		"done":                            "They chose: Salt, Vinegar",
		"1, 9|salt and sugar|sa||,":       "",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if got := answerForModel(q, supervisor.Answer{Options: []int{0, 3}}, text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
	q.Ask.Other = true
	if got := answerForModel(q, supervisor.Answer{Options: []int{0}},
		"and sugar"); got != "They answered: Salt, and sugar" {
		t.Errorf("something more is %q", got)
	}
}

func TestParseMessage_Confirm_ReadsFourLanguages(t *testing.T) {
	q := question(protocol.AskKindConfirm)
	for want, texts := range map[string]string{
		"They answered: Yes": "yes|Yes!|y|ja|Sí|oui|Sí, por favor|OK|yes please",
		"They answered: No":  "no|No.|n|nein|non|no, thanks|Nein, danke",
		"":                   "maybe|yes but not now|1||no idea",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if got := answerForModel(q, supervisor.Answer{}, text); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
}

func TestParseMessage_Number_TakesCommaOrPoint(t *testing.T) {
	for text, want := range map[string]string{
		"12": "12", "1.5": "1.5", "1,5": "1.5", " -3 ": "-3", "−3": "-3", "+4": "4", "007": "7", "0": "0", "12.": "12", "€ 12,50": "12.50", "12 %": "12",
		"1.234,5": "1234.5", "1,234.5": "1234.5", "1.234.567": "1234567", "1'234": "1234", "1 234 567": "1234567", "0,125": "0.125", "0.125": "0.125",
		"1,234": "", "1.234": "", "about 12": "", "12 km": "", "twelve": "", "": "", "1.2.3": "", "1,23,456": "", "1.234,567,8": "", "--1": "",
		strings.Repeat("9", 31): "", ",5": "", "12345,678.9": "",
	} {
		if got := strings.TrimPrefix(answerForModel(question(protocol.AskKindNumber), supervisor.Answer{}, text),
			"They answered: "); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// The date is read in the user's time zone, in which Monday has begun.
func TestParseMessage_Date_UsesUsersZone(t *testing.T) {
	for texts, want := range map[string]string{
		"tomorrow|Morgen|mañana|demain|Tuesday|on tuesday|Dienstag|mardi|2026-11-24|24.11.|24. 11.|24.11.2026|24 " +
			"November|Nov 24|November 24th, 2026|24 de noviembre|le 24 novembre|24. November 2026": "2026-11-24",
		"tomorrow 18:00|tomorrow at 6pm|24.11. 6 pm|2026-11-24T18:00|morgen um 18 Uhr|demain à 18h|mañana a las " +
			"18:00|Nov 24, 6:00 p.m.|morgen 18.00": "2026-11-24 18:00",
		"today|heute|hoy|aujourd'hui": "2026-11-23",
		"Monday|lunes":                "2026-11-30",
		"yesterday 0:05":              "2026-11-22 00:05",
		"12am today|1/1":              "",
		"January 1 12am|1.1. 0:00":    "2027-01-01 00:00",
		"22.11. 12:30pm":              "2027-11-22 12:30",
		"2028-02-29":                  "2028-02-29",
		"2027-02-29|31.4.|tomorrow 25:00|tomorrow 18|13pm|tomorrow 13pm|11/12|soon|next week||2026-13-01|tomorrow " +
			"10:70|0000-01-01": "",
	} {
		for text := range strings.SplitSeq(texts, "|") {
			if got := strings.TrimPrefix(answerForModel(question(protocol.AskKindDate), supervisor.Answer{}, text),
				"They answered: "); got != want {
				t.Errorf("%q is %q, want %q", text, got, want)
			}
		}
	}
}

// A file answers only a question for a file or for text, because other questions would lose the
// file. The words of a recording count as text.
func TestParseMessage_FileForChoice_IsRefused(t *testing.T) {
	file := supervisor.AnswerMessage{
		Text:  "here",
		Parts: []protocol.ContentPart{{Text: "[photo, kept as uploads/a.png]"}},
		World: true,
	}
	voice := supervisor.AnswerMessage{Words: "The second.",
		Parts: []protocol.ContentPart{{Text: "[voice, 0:02] The second."}}}
	for _, c := range []struct {
		kind protocol.AskKind
		m    supervisor.AnswerMessage
		want string
	}{
		{protocol.AskKindFile, file, "They answered: here\n[photo, kept as uploads/a.png]"},
		{protocol.AskKindFile, voice, "They answered: Your files\n[voice, 0:02] The second."},
		{protocol.AskKindFile, supervisor.AnswerMessage{Text: "I have none"}, ""},
		{protocol.AskKindText, file, "They answered: here\n[photo, kept as uploads/a.png]"},
		{protocol.AskKindText, voice, "They answered: The second."},
		{protocol.AskKindText, supervisor.AnswerMessage{Text: " \n"}, ""},
		{protocol.AskKindChoice, file, ""},
		{protocol.AskKindChoice, voice, "They chose: here"},
		{protocol.AskKindLocation, supervisor.AnswerMessage{Text: "[Location: 1.00000, 2.00000]"},
			"They answered: [Location: 1.00000, 2.00000]"},
	} {
		q := question(c.kind, "there", "here")
		if c.kind != protocol.AskKindChoice {
			q.Ask.Options = nil
		}
		a, ok := answer.ParseMessage(q, supervisor.Answer{}, c.m)
		q.End, q.Answer = supervisor.QuestionAnswered, a
		if got := answer.TextForModel(q); ok != (c.want != "") || ok && got != c.want || a.World != (ok && c.m.World) {
			t.Errorf("%s answered by %+v: %t, %q (world: %t), want %q", c.kind, c.m, ok, got, a.World, c.want)
		}
	}
}

// The data of a press is the option's index. A press of Done ends the question.
func TestParsePress_Option_TogglesPick(t *testing.T) {
	q := question(protocol.AskKindSeveral, "Salt", "Oil")
	q.Ask.Other = true
	var draft supervisor.Answer
	shown := func() (text string) {
		for _, row := range answer.QuestionButtons(q, draft, func(word string) string { return word }) {
			text += fmt.Sprintf("%s=%s ", row[0].Text, row[0].Press)
		}
		return text
	}
	for _, c := range []struct {
		press string
		came  supervisor.PressResult
		shown string
	}{
		{"1", supervisor.PressToggledOption, "☐ Salt=0 ☑ Oil=1 Done=done Something else…=other Skip=skip "},
		{"0", supervisor.PressToggledOption, "☑ Salt=0 ☑ Oil=1 Done=done Something else…=other Skip=skip "},
		{"1", supervisor.PressToggledOption, "☑ Salt=0 ☐ Oil=1 Done=done Something else…=other Skip=skip "},
		{"other", supervisor.PressAwaitsText, "☑ Salt=0 ☐ Oil=1 Done=done Something else…=other Skip=skip "},
		{"done", supervisor.PressAccepted, "☑ Salt=0 ☐ Oil=1 Done=done Something else…=other Skip=skip "},
		{"2", supervisor.PressUnknown, ""}, {"-1", supervisor.PressUnknown, ""}, {"once", supervisor.PressUnknown, ""},
	} {
		a, came := answer.ParsePress(q, draft, c.press)
		if came != supervisor.PressUnknown {
			draft = a
		}
		if came != c.came || c.shown != "" && shown() != c.shown {
			t.Errorf("%q came to %s, and shows %s", c.press, came, shown())
		}
	}
}

// A keyboard sends a location in a private chat. Options that can't be ticked are numbered.
func TestQuestionButtons_DependOnChannel(t *testing.T) {
	press := func(word string) string { return word }
	q := question(protocol.AskKindLocation)
	if rows := answer.QuestionButtons(q, supervisor.Answer{},
		press); rows[0][0].Press != supervisor.ButtonShareLocation ||
		!answer.HasLocationKeyboard(q) {
		t.Errorf("in private: %v", rows)
	}
	q.Conversation.Chat = "-42"
	if rows := answer.QuestionButtons(q, supervisor.Answer{}, press); len(rows) != 1 || rows[0][0].Press != "skip" ||
		answer.HasLocationKeyboard(q) {
		t.Errorf("in a group: %v", rows)
	}
	q = question(protocol.AskKindSeveral, "Salt", "Oil")
	q.Conversation.Channel = supervisor.ChannelTerminal
	if rows, text := answer.QuestionButtons(q, supervisor.Answer{}, press), answer.QuestionText(q); rows != nil ||
		!strings.HasPrefix(text, "Which?\n\n1. Salt\n2. Oil\n\nAnswer with") {
		t.Errorf("in the terminal: %v, %q", rows, text)
	}
	q = question(protocol.AskKindText)
	q.End, q.Answer = supervisor.QuestionAnswered, supervisor.Answer{
		Say:  supervisor.AnswerChoiceOther,
		Text: strings.Repeat("long\n", 1000),
	}
	if shown := []rune(answer.EndedQuestionText(q)); len(shown) != len("Which?\n\n")+len([]rune("➜ "))+300 {
		t.Errorf("a long answer is shown in %d characters", len(shown))
	}
	q.Conversation.Chat, q.Answer.Text = "-42", "so"
	if got := answer.TextForModel(q); got != "alice answered: so" {
		t.Errorf("in a group the model reads %q", got)
	}
}

// FuzzParseMessage checks that the answer read from any text is valid for its question, and can be
// written out.
func FuzzParseMessage(f *testing.F) {
	for _, text := range []string{"1, 2", "the second", "tomorrow 18:00", "1.234,5", "all", "➜", "\x00", "24.11. 6pm"} {
		f.Add(text, uint8(0))
	}
	kinds := []protocol.AskKind{
		protocol.AskKindChoice,
		protocol.AskKindSeveral,
		protocol.AskKindConfirm,
		protocol.AskKindText,
		protocol.AskKindNumber,
		protocol.AskKindDate,
		protocol.AskKindLocation,
		protocol.AskKindFile,
		"unknown",
	}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		q := question(kinds[int(n)%len(kinds)], "Red", "Blue", "Dark blue")
		q.Ask.Other = n&128 != 0
		a, ok := answer.ParseMessage(
			q,
			supervisor.Answer{Options: []int{1}},
			supervisor.AnswerMessage{Text: text, Now: monday},
		)
		for i, option := range a.Options {
			if option < 0 || option >= 3 || i > 0 && a.Options[i-1] >= option {
				t.Errorf("%q is %v", text, a.Options)
			}
		}
		if ok && a.Say == supervisor.AnswerChoiceNone {
			t.Errorf("%q says nothing", text)
		}
		q.End, q.Answer = supervisor.QuestionAnswered, a
		if ok && (answer.TextForModel(q) == "" || answer.EndedQuestionText(q) == "") {
			t.Errorf("%q can't be told", text)
		}
	})
}
