package main_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"mews/supervisor"
	"mews/supervisor/app/apptest"
	"mews/supervisor/control"
)

// chatQuestion is a question that the model asks because of a message, and the sender's answer.
type chatQuestion struct {
	text    string
	press   string        // the button to press, or "" for words
	words   string        // the answer in words
	meaning string        // the answer as the model reads it
	pause   time.Duration // how long the sender waits before the answer
}

// addQuestions adds questions to about two of ten messages. All questions differ, and no other
// message answers a question.
func addQuestions(seed uint64, name string, all []chatMessage) []chatMessage {
	rng := rand.New(rand.NewPCG(seed, 2))
	for i, m := range all {
		if m.files == nil && rng.IntN(7) < 2 { // seven of ten messages have no files
			all[i] = askingMessage(rng, name, i)
		}
	}
	return all
}

func askingMessage(rng *rand.Rand, name string, i int) chatMessage {
	q := chatQuestion{text: fmt.Sprintf("What does %s want with %d?", name, i), pause: time.Duration(rng.IntN(60)) * time.Millisecond}
	red, blue := fmt.Sprintf("red-%s-%d", name, i), fmt.Sprintf("blue-%s-%d", name, i)
	asked := fmt.Sprintf("ask choice %s | %s | %s", q.text, red, blue)
	switch rng.IntN(5) {
	case 0:
		q.press, q.meaning = red, "They chose: "+red
	case 1:
		q.press, q.meaning = blue, "They chose: "+blue
	case 2:
		q.words, q.meaning = "2", "They chose: "+blue
	case 3:
		q.words, q.meaning = red, "They chose: "+red
	case 4:
		asked, q.words, q.meaning = "ask confirm "+q.text, "no", "They answered: No"
	}
	return chatMessage{text: fmt.Sprintf("say #%d\n%s", i, asked), question: &q}
}

// wantedAnswer returns the end that the answer to a message must have.
func (m chatMessage) wantedAnswer() string {
	if m.question != nil {
		return "told:\n" + m.question.meaning
	}
	return "done: " + m.text
}

// takeQuestion takes a delivery about a question: the question, the confirmation of an answer, or a
// reminder that it is open. It reports whether the delivery was about a question. The caller holds
// the mutex.
func (k *chatUser) takeQuestion(d control.Delivery) bool {
	if said, mine := k.answerKeys[d.Key]; mine {
		k.confirmed[said]++
		return true
	}
	for i, m := range k.messages {
		switch {
		case m.question == nil || d.Kind != supervisor.DeliveryNotice || !strings.HasSuffix(d.Text, m.question.text):
		case d.Text == m.question.text:
			if k.questions[i]++; k.questions[i] == 1 {
				key := control.NewMessageKey()
				k.answerKeys[key] = i
				k.answering.Go(func() { k.answerQuestion(key, d, *m.question) })
			}
			return true
		default: // a reminder of the open question, because later messages wait for its answer
			return k.questions[i] == 1
		}
	}
	return false
}

// answerQuestion answers a question after its pause.
func (k *chatUser) answerQuestion(key string, d control.Delivery, q chatQuestion) {
	select {
	case <-time.After(q.pause):
	case <-k.leaving.Done():
		return
	}
	if q.press == "" {
		// after an error, check finds that the confirmation is missing
		_, _ = k.chat.SendMessage(k.leaving, key, q.words)
		return
	}
	for _, row := range d.Buttons {
		for _, b := range row {
			if b.Text == q.press {
				_, _ = k.chat.PressButton(k.leaving, key, d.ID, b.Press)
			}
		}
	}
}

// checkQuestions checks that each question came once, and that each answer was confirmed once.
func (k *chatUser) checkQuestions(t *testing.T) (asked int) {
	t.Helper()
	for i, m := range k.messages {
		if m.question == nil {
			continue
		}
		asked++
		if k.questions[i] != 1 || k.confirmed[i] != 1 {
			t.Errorf("%s was asked %d times for message %d, and told %d times of the answer", k.name, k.questions[i], i, k.confirmed[i])
		}
	}
	return asked
}

// checkQuestions checks the database: each question was answered once, the answer was used, and its
// turn has ended.
func checkQuestions(t *testing.T, h *apptest.Service, asked int) {
	t.Helper()
	for what, query := range map[string]string{
		"questions were answered and used": "SELECT count(*) FROM question WHERE why = 'answered' AND used_at IS NOT NULL",
		"questions were asked":             "SELECT count(*) FROM question",
		"turns have asked":                 "SELECT count(DISTINCT turn) FROM question",
		"ends of questions are known":      "SELECT count(*) FROM effect WHERE kind = 'question.asked'",
		"calls have asked":                 "SELECT count(*) FROM tool_call WHERE name = 'ask_user' AND result IS NOT NULL",
	} {
		if n := h.QueryCount(query); n != asked {
			t.Errorf("%d %s, want %d", n, what, asked)
		}
	}
	if n := h.QueryCount("SELECT count(*) FROM turn WHERE ended_at IS NULL"); n != 0 {
		t.Errorf("%d turns are open", n)
	}
}
