package sqlite

import (
	"context"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// SpokenAnswers stores the answers whose recordings workers are making.
type SpokenAnswers struct{ db *DB }

// SpokenAnswers returns the store of answers whose recordings workers are making.
func (db *DB) SpokenAnswers() SpokenAnswers { return SpokenAnswers{db} }

// SpokenAnswer is an answer whose recordings workers are making.
type SpokenAnswer struct {
	Delivery     int64 // the delivery with the answer to speak
	Text         string
	Conversation supervisor.Conversation // the conversation for the recordings
	Only         bool                    // the text is held back until the recordings are sent
	Effects      []string                // the effect lines below the text
	Turn         supervisor.Turn         // the answer's turn: its ID, Conversation and Destination
	Operations   []int64                 // operations that make the recordings, in order; empty until stored
}

const (
	selectSpeech = `SELECT s.delivery, o.text, s.only, o.effects, s.operations, t.id, t.conversation, c.id, c.user, c.channel, c.chat, c.thread
		FROM speech s JOIN outbox o ON o.id = s.delivery JOIN turn t ON t.id = o.turn JOIN conversation c ON c.id = o.conversation WHERE s.recording IS NULL `
	listSpeeches     = selectSpeech + `ORDER BY s.delivery`
	insertSpeech     = `INSERT INTO speech (delivery, user, only) VALUES (?, ?, ?)`
	findSpeech       = selectSpeech + `AND s.delivery = ?`
	startSpeech      = `UPDATE speech SET operations = ? WHERE delivery = ?`
	recordSpeech     = `UPDATE speech SET recording = ? WHERE delivery = ?`
	deleteSpeech     = `DELETE FROM speech WHERE delivery = ?`
	findRecorded     = `SELECT delivery, only FROM speech WHERE recording = ?`
	isShownOtherwise = `SELECT EXISTS (SELECT 1 FROM post WHERE turn = ? AND state <> 'deleted')
		OR EXISTS (SELECT 1 FROM outbox WHERE inbound = ? AND (files <> '' OR buttons <> ''))`
)

// List lists the answers of all users whose recordings workers are making, oldest first.
func (s SpokenAnswers) List(ctx context.Context) ([]SpokenAnswer, error) {
	return engine.AllRows(s.db.reader(ctx, "list answers with unfinished recordings"), scanSpeech, listSpeeches)
}

func scanSpeech(row *engine.Row) (s SpokenAnswer) {
	c := &s.Conversation
	row.Scan(
		&s.Delivery,
		&s.Text,
		&s.Only,
		columnDecoder{&s.Effects},
		columnDecoder{&s.Operations},
		&s.Turn.ID,
		&s.Turn.Conversation.ID,
		&c.ID,
		&c.User,
		&c.Channel,
		&c.Chat,
		&c.Thread,
	)
	s.Turn.Conversation.User, s.Turn.Destination = c.User, *c
	return s
}

// putSpeech schedules the recordings of a turn's answer. If the user wants only speech, the text is
// held back. But an answer with files or buttons is sent at once, and so is an answer with a part
// in the chat already. In these cases putSpeech returns a notice about the text.
func (t turnTx) putSpeech(d supervisor.Delivery, mode supervisor.VoiceMode) (written string) {
	if mode != supervisor.VoiceOn && mode != supervisor.VoiceOnly {
		return ""
	}
	only := mode == supervisor.VoiceOnly
	if only && value(t, engine.ScanBool, isShownOtherwise, t.turn.ID, orNull(d.Inbound)) {
		only, written = false, t.policies.Outbox.SpokenAnswerShown
	}
	t.Exec(insertSpeech, d.ID, d.Conversation.User, only)
	return written
}

// PutOperations stores the operations that make the recordings of an answer, in their order.
func (s SpokenAnswers) PutOperations(ctx context.Context, delivery int64, operations []int64) error {
	return s.db.write(
		ctx,
		func(t *tx) { t.Exec(startSpeech, encodedList(operations), delivery) },
		"start to say delivery %d",
		delivery,
	)
}

// PutRecordings adds an answer's recordings to the outbox and deletes their operations. If the text
// is held back, the recordings have the effect lines.
func (s SpokenAnswers) PutRecordings(ctx context.Context, delivery int64, files []supervisor.File) error {
	return s.db.write(ctx, func(t *tx) {
		speech := byID(t, "speech", scanSpeech, findSpeech, delivery)
		said := supervisor.Delivery{Conversation: speech.Conversation, Files: files}
		if speech.Only {
			said.Effects = speech.Effects
		}
		d := t.putNotice(said)
		t.Exec(recordSpeech, d.ID, delivery)
		t.forgetOperations(speech)
	}, "put the recordings of delivery %d into the outbox", delivery)
}

// MarkFailed gives up the recordings of an answer. If the text was held back, it is sent now. The
// user is told the reason why; "" means no reason.
func (s SpokenAnswers) MarkFailed(ctx context.Context, delivery int64, why string) error {
	return s.db.write(ctx, func(t *tx) {
		speech := byID(t, "speech", scanSpeech, findSpeech, delivery)
		t.Exec(deleteSpeech, delivery)
		if why != "" {
			t.putNotice(supervisor.Delivery{Conversation: speech.Conversation, Text: why})
		}
		t.forgetOperations(speech)
	}, "give up the recordings of delivery %d", delivery)
}

func (t *tx) forgetOperations(s SpokenAnswer) {
	for _, id := range s.Operations {
		t.Exec(deleteOperation, id)
	}
}

// closeRecording handles the outcome of an answer's recordings. If they arrived, a text that was
// held back counts as sent. If they failed, that text is sent now. closeRecording reports whether
// the delivery had recordings.
func (t *tx) closeRecording(recording int64, outcome supervisor.DeliveryResult) bool {
	s, ok := one(
		t,
		func(row *engine.Row) (s SpokenAnswer) { row.Scan(&s.Delivery, &s.Only); return s },
		findRecorded,
		recording,
	)
	if !ok {
		return false
	}
	t.Exec(deleteSpeech, s.Delivery)
	if s.Only && outcome == supervisor.OutcomeSent {
		t.closeDelivery(supervisor.DeliveryOutcome{Delivery: s.Delivery, Outcome: supervisor.OutcomeSent})
	}
	return true
}
