package answer_test

import (
	"strings"
	"testing"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/answer"
	"mews/supervisor/recurrence"
)

// matchChange returns the effect of a message on a question for a job's change: "answer", "skip",
// or "turn" if the question ends and the message gets a turn.
func matchChange(m supervisor.AnswerMessage) string {
	m.Now, m.BelowQuestion = monday, true
	a, answers, reminds := answer.MatchAnswer(delivered(question(supervisor.AskKindJobChange)), supervisor.Answer{}, m)
	switch {
	case reminds:
		return "kept"
	case answers && a.Skipped:
		return "skip"
	case answers && len(a.Parts) == 0:
		return "answer"
	case !answers && a.Skipped:
		return "turn"
	}
	return "open"
}

func TestMatchAnswer_NoTimeForJob_BeginsTurn(t *testing.T) {
	picture := []protocol.ContentPart{{Text: "[a picture]"}}
	for want, messages := range map[string][]string{
		"answer": {"weekdays 8:30", "tomorrow at 9: call Ann", ": call Ann", ":call Ann?", "on_miss=skip priority=low",
			"grace=2h", "30 8 * * 1-5", "@daily", "17:00", "5", "tomorow at 9", "3/4 at 9", "in 20 minutes",
			"mondays and thursdays at 7pm", "morgen um 9", "jeden Freitag um 17 Uhr", "täglich 8 Uhr: Tabletten",
			"werktags um halb 9", "übermorgen früh um 7", "am 24.12. um 18 Uhr", "mañana a las 9", "cada lunes a las 8",
			"demain à 9h", "tous les jours à 8h", "next friday", "noon", "Next Tuesday at 10: What is due?"},
		"turn": {"what's the weather like?", "what is the weather tomorrow?", "thanks, and please add milk to the list",
			"thanks", "add 3 eggs to the list", "remind me tomorrow to call Bob about the car",
			"wie wird das Wetter morgen",
			"Ich bin morgen um 9 beim Zahnarzt", "note: buy milk", "call Ann instead", "yes", "no", "never mind", ":",
			"one", "at the", "at 9?", "here are my 3 tips: run, eat, sleep", "danke", "🙂", "a = b is wrong",
			"on second thought leave it"},
		"skip": {"skip", "überspringen"},
	} {
		for _, text := range messages {
			if got := matchChange(supervisor.AnswerMessage{Text: text}); got != want {
				t.Errorf("%q: %s, want %s", text, got, want)
			}
		}
	}
	for name, c := range map[string]struct {
		m    supervisor.AnswerMessage
		want string
	}{
		"picture":             {supervisor.AnswerMessage{Parts: picture}, "turn"},
		"picture with time":   {supervisor.AnswerMessage{Text: "tomorrow at 9", Parts: picture}, "turn"},
		"spoken time":         {supervisor.AnswerMessage{Words: "tomorrow at 9", Parts: picture}, "answer"},
		"spoken question":     {supervisor.AnswerMessage{Words: "what is the weather?", Parts: picture}, "turn"},
		"forward":             {supervisor.AnswerMessage{Text: "tomorrow at 9", World: true}, "turn"},
		"reply elsewhere":     {supervisor.AnswerMessage{Text: "tomorrow at 9", RepliesElsewhere: true}, "open"},
		"message for later":   {supervisor.AnswerMessage{Text: "tomorrow at 9", Followup: true}, "open"},
		"very long text":      {supervisor.AnswerMessage{Text: strings.Repeat("word ", 9000)}, "turn"},
		"very long job text":  {supervisor.AnswerMessage{Text: "at 9: " + strings.Repeat("word ", 900)}, "answer"},
		"several lines":       {supervisor.AnswerMessage{Text: "tomorrow at 9:\ncall Ann\ncall Bob"}, "answer"},
		"several lines alone": {supervisor.AnswerMessage{Text: "thanks\ntomorrow I go to Bonn at 9"}, "turn"},
	} {
		if got := matchChange(c.m); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// Every form of a time that a refusal may recommend counts as an answer.
func TestMatchAnswer_JobChange_AcceptsTimeForms(t *testing.T) {
	for when := range strings.SplitSeq(recurrence.ExamplesForModel(), "; ") {
		if got := matchChange(supervisor.AnswerMessage{Text: when}); got != "answer" {
			t.Errorf("%q: %s", when, got)
		}
	}
}
