package sqlite

import (
	"context"
	"strings"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/internal/engine"
)

// MaxArrivalWait is how long later inbounds wait for an inbound that is still arriving.
const MaxArrivalWait = 30 * time.Second

// nothingArrives is true for an inbound i that does not wait for an earlier arriving inbound. ?3 is
// the time in milliseconds. The wait ends after MaxArrivalWait. An inbound from the future delays
// nothing, since the clock was set back then.
const nothingArrives = `NOT EXISTS (SELECT 1 FROM inbox a WHERE a.conversation = i.conversation AND a.state = 'arriving'
	AND a.held = 0 AND a.id < i.id AND a.priority >= i.priority AND a.changed_at > ?3 - 30000 AND a.changed_at <= ?3)`

const (
	listArriving       = selectInbound + `WHERE i.state = 'arriving' AND i.held = 0 ORDER BY +i.id`
	putParts           = `UPDATE inbox SET parts = ?, origin = ? WHERE id = ?`
	endReceiving       = `DELETE FROM operation WHERE inbound = ?`
	isBeforeCommand    = selectInbound + `JOIN inbox n ON n.conversation = i.conversation AND n.id > i.id WHERE n.id = ?1 AND i.kind = 'text' `
	listWaiting        = isBeforeCommand + `AND i.state IN ('new', 'arriving') AND i.held = 0 ORDER BY i.id`
	listDropped        = isBeforeCommand + `AND i.state = 'dropped' AND i.changed_at >= n.changed_at ORDER BY i.id`
	deleteOperationsOf = `DELETE FROM operation WHERE inbound = ? AND state = 'done'`
	failOperationsOf   = `UPDATE operation SET state = 'failed', result = ?, updated_at = ? WHERE inbound = ? AND state IN ('waiting', 'running')`
)

// ListArrivingInbounds lists the arriving inbounds that no gate holds, oldest first.
func (s Inbox) ListArrivingInbounds(ctx context.Context) ([]supervisor.Inbound, error) {
	return engine.AllRows(s.db.reader(ctx, "list arriving inbounds"), scanInbound, listArriving)
}

// ArrivalResult has the results of reading an inbound's files.
type ArrivalResult struct {
	Inbound   int64
	FirstFile int                    // position of the first file of the inbound
	Parts     []protocol.ContentPart // parts for the model after the text
	Paths     map[int]string         // path of each file in the home, by the index of the file's first part in Parts
	Words     string                 // the spoken words, if all Parts are recordings
	Origin    supervisor.Origin
}

// CompleteArrivals makes inbounds ready for turns, all or none. It deletes their operations. An
// inbound that is no longer arriving stays unchanged: its user has dropped it or replaced its
// files. If the inbounds together answer a question, they start no turn. The result said reports
// whether a delivery was queued.
func (s Inbox) CompleteArrivals(ctx context.Context, list []ArrivalResult) (said bool, err error) {
	return inTransaction(ctx, s.db, func(t *tx) bool {
		var arrived []supervisor.Inbound
		for _, a := range list {
			if in := t.inbound(a.Inbound); in.State == supervisor.InboundArriving && in.FirstFile == a.FirstFile {
				t.transition(in, supervisor.InboundNew)
				t.Exec(putParts, columnEncoder{a.arrivedParts()}, a.Origin, in.ID)
				t.Exec(endReceiving, in.ID)
				t.putReceived(in)
				t.hideShown(in.ID)
				in.State, in.Origin = supervisor.InboundNew, a.Origin
				arrived = append(arrived, in)
			}
		}
		return len(arrived) > 0 && len(arrived) == len(list) && t.answerWithArrived(arrived, list)
	}, "record that %d messages have arrived", len(list))
}

// putReceived adds the received files of an inbound to the ledger.
func (t *tx) putReceived(in supervisor.Inbound) {
	for _, a := range all(t, scanAttachment, listAttachments, in.ID) {
		if a.SHA256 != "" && a.Failure == "" {
			target, detail := t.policies.Effects.ReceivedFileEntry(a)
			t.putEffect(supervisor.Effect{User: in.Conversation.User, Kind: supervisor.EffectFileReceived,
				Target: target, Detail: detail})
		}
	}
}

// answerWithArrived lets inbounds that arrived together answer the open question of their
// conversation.
func (t *tx) answerWithArrived(arrived []supervisor.Inbound, list []ArrivalResult) (said bool) {
	var m supervisor.AnswerMessage
	heard := true
	for i, in := range arrived {
		m.Text = strings.Trim(m.Text+"\n"+in.Text, "\n")
		m.Words = strings.Trim(m.Words+"\n"+list[i].Words, "\n")
		m.Parts = append(m.Parts, list[i].Parts...)
		m.World = m.World || list[i].Origin == supervisor.OriginWorld
		heard = heard && (list[i].Words != "" || len(list[i].Parts) == 0)
	}
	if !heard {
		m.Words = ""
	}
	first, said := t.answerOpenQuestion(arrived[0], m, "")
	for _, in := range arrived[1:] {
		if first.State != supervisor.InboundNew {
			t.transition(in, supervisor.InboundAnswered)
			in.State = supervisor.InboundAnswered
			t.transition(in, supervisor.InboundDone)
		}
	}
	return said
}

// DropWaitingTexts drops a conversation's texts that wait or arrive. It drops only texts that came
// before the command. It returns the dropped texts, oldest first. If the command runs again after a
// crash, the result is the same.
func (s Inbox) DropWaitingTexts(ctx context.Context, command int64) ([]supervisor.Inbound, error) {
	return inTransaction(ctx, s.db, func(t *tx) []supervisor.Inbound {
		for _, in := range all(t, scanInbound, listWaiting, command) {
			t.drop(in)
		}
		return all(t, scanInbound, listDropped, command)
	}, "drop the texts before command %d", command)
}

// drop drops a waiting text and ends all work on the text's files.
func (t *tx) drop(in supervisor.Inbound) {
	t.transition(in, supervisor.InboundDropped)
	t.endArriving(in.ID)
}

// endArriving ends the operations of an inbound whose files are no longer needed.
func (t *tx) endArriving(inbound int64) {
	t.Exec(failOperationsOf, "its person has dropped it", t.Now, inbound)
	t.Exec(deleteOperationsOf, inbound)
	t.hideShown(inbound)
}
