package sqlite

import (
	"slices"

	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// sentKinds maps the outcome of a delivery to the kinds of its effects, for a message and a file.
var sentKinds = map[supervisor.DeliveryResult]struct{ message, file string }{
	outcomePending:            {supervisor.EffectMessageQueued, supervisor.EffectFileQueued},
	supervisor.OutcomeSent:    {supervisor.EffectMessageSent, supervisor.EffectFileSent},
	supervisor.OutcomeFailed:  {supervisor.EffectMessageRefused, supervisor.EffectFileRefused},
	supervisor.OutcomeUnknown: {supervisor.EffectMessageMaybeSent, supervisor.EffectFileMaybeSent},
}

// effectsOf returns the effects of a delivery before the channel has taken it: first its text, and
// then its files.
func (t *tx) effectsOf(d supervisor.Delivery) (list []supervisor.Effect) {
	kinds := sentKinds[outcomePending]
	if d.Text != "" {
		list = append(list, supervisor.Effect{Kind: kinds.message,
			Detail: t.policies.Effects.SentMessageDetail(d.Text)})
	}
	for _, f := range d.Files {
		target, detail := t.policies.Effects.SentFileEntry(f)
		list = append(list, supervisor.Effect{Kind: kinds.file, Target: target, Detail: detail})
	}
	return list
}

const (
	listSent     = selectEffect + `WHERE delivery = ?1 AND delivery > 0 ORDER BY id`
	settleEffect = `UPDATE effect SET kind = ?, detail = ?, told = ? WHERE id = ?`
)

// settleEffects gives the effects of a delivery the kinds that fit the delivery's outcome. The
// channel may have taken only some of several files. If the turn's answer is not in the chat yet,
// its effect lines are renewed. Otherwise the user gets a notice about refused messages and files.
func (t *tx) settleEffects(d outcomeRow, c supervisor.DeliveryOutcome) {
	listed := all(t, scanEffect, listSent, d.id)
	if len(listed) == 0 {
		return
	}
	said := byID(t, "delivery", scanDelivery, findDelivery, d.id)
	effects := t.effectsOf(said)
	if len(effects) != len(listed) { // the delivery's words were forgotten
		return
	}
	taken, texts := t.takenFiles(d.id), len(effects)-len(said.Files)
	var refused []supervisor.Effect
	for i, e := range effects {
		e.ID, e.Turn = listed[i].ID, listed[i].Turn
		outcome, why := c.Outcome, c.Why
		switch {
		case i < texts:
			e.Kind = sentKinds[outcome].message
		case outcome != outcomePending:
			outcome, why = taken.outcome(said.Files[i-texts].SHA256, outcome, why)
			e.Kind = sentKinds[outcome].file
		}
		if outcome == supervisor.OutcomeFailed {
			e.Detail = why
			refused = append(refused, e)
		}
		t.Exec(settleEffect, e.Kind, e.Detail, outcome != supervisor.OutcomeFailed, e.ID)
	}
	t.tellSettled(said.Conversation, listed[0].Turn, refused, c.Reason)
}

// takenFiles has the files of a delivery that the channel has shown, and those that it has refused.
type takenFiles struct {
	shown   []string // digests of files in the chat
	refused []supervisor.RefusedFile
}

// takenFiles reads the posts of a delivery.
func (t *tx) takenFiles(delivery int64) (taken takenFiles) {
	for _, p := range t.postsOf(delivery) {
		if p.Content.Refused != nil {
			taken.refused = append(taken.refused, *p.Content.Refused)
		}
		if p.State != supervisor.PostSent || p.Content.File == nil {
			continue
		}
		for _, f := range append([]supervisor.File{*p.Content.File}, p.Content.Album...) {
			taken.shown = append(taken.shown, f.SHA256)
		}
	}
	return taken
}

// outcome returns the outcome of the delivery's next file with a SHA-256. The argument of is the
// outcome of the whole delivery.
func (s *takenFiles) outcome(sha256 string, of supervisor.DeliveryResult, why string) (supervisor.DeliveryResult,
	string) {
	if i := slices.IndexFunc(s.refused, func(f supervisor.RefusedFile) bool { return f.SHA256 == sha256 }); i >= 0 {
		why = s.refused[i].Why
		s.refused = slices.Delete(s.refused, i, i+1)
		return supervisor.OutcomeFailed, why
	}
	if i := slices.Index(s.shown, sha256); i >= 0 {
		s.shown = slices.Delete(s.shown, i, i+1)
		return supervisor.OutcomeSent, ""
	}
	return of, why
}

const (
	findAnswer = `SELECT o.id, o.delivered_at IS NOT NULL OR EXISTS (SELECT 1 FROM post p WHERE p.delivery = o.id)
		FROM outbox o WHERE o.turn = ? AND o.kind = 'answer' ORDER BY o.id DESC LIMIT 1`
	renewLines = `UPDATE outbox SET effects = ?1 WHERE (id = ?2 OR id = (SELECT recording FROM speech WHERE delivery = ?2 AND only = 1))
		AND effects <> '' AND delivered_at IS NULL`
	findAnswerMessage = `SELECT message FROM post WHERE delivery = ? AND state = 'sent' AND message <> '' ORDER` +
		` BY part LIMIT 1`
)

// tellSettled tells the user about effects whose delivery has ended. If the answer is not in the
// chat yet, it renews the lines below the answer. Otherwise it sends a notice about refused
// effects.
func (t *tx) tellSettled(in supervisor.Conversation, turn int64, refused []supervisor.Effect,
	reason supervisor.SendErrorReason) {
	type answer struct {
		id     int64
		posted bool
	}
	a, ok := one(t, func(r *engine.Row) (a answer) { r.Scan(&a.id, &a.posted); return a }, findAnswer, turn)
	switch {
	case !ok: // the end of the turn will make the effect lines
	case !a.posted:
		t.Exec(renewLines, encodedList(t.policies.Effects.Lines(all(t, scanEffect, listDone, turn))), a.id)
	case len(refused) > 0 && reason != supervisor.SendReasonChatGone && reason != supervisor.SendReasonThreadGone:
		t.putDelivery(supervisor.Delivery{Conversation: in, Kind: supervisor.DeliveryNotice,
			Text:    t.policies.Effects.RefusedNotice(refused),
			ReplyTo: value(t, engine.ScanString, findAnswerMessage, a.id)})
	}
}

const (
	listUntoldRefusals = selectEffect + `WHERE user = ?1 AND told = 0
		AND (SELECT coalesce(t.destination, t.conversation) FROM turn t WHERE t.id = effect.turn) = ?2 ORDER BY id`
	markRefusalTold = `UPDATE effect SET told = 1 WHERE id = ?`
)

// untoldRefusals returns the model's text about refused messages and files since the last message
// of the conversation. "" means that the channel refused nothing.
func (t turnTx) untoldRefusals() string {
	refused := all(t, scanEffect, listUntoldRefusals, t.turn.Conversation.User, t.turn.Conversation.ID)
	if len(refused) == 0 {
		return ""
	}
	for _, e := range refused {
		t.Exec(markRefusalTold, e.ID)
	}
	return t.policies.Effects.RefusedNote(refused)
}
