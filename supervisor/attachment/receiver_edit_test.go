package attachment_test

import (
	"context"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor"
)

// The edit may come at any stage of the first file's arrival.
func TestEdit_ReplacedFile_IsFetchedInstead(t *testing.T) {
	for _, at := range []string{"fetched", "read", "before a start"} {
		inBubble(t, func(r *rig) {
			fetch, work := r.fetch, r.work
			var ended []string
			wait := func(ctx context.Context, what string) {
				<-ctx.Done()
				r.note(func() { ended = append(ended, fmt.Sprint(what, " ", context.Cause(ctx))) })
			}
			r.fetch = func(ctx context.Context, file string, w io.Writer) error {
				if at == "fetched" && file == "id of a" {
					wait(ctx, "fetch")
					return context.Cause(ctx)
				}
				return fetch(ctx, file, w)
			}
			r.work = func(ctx context.Context, op supervisor.Operation) (supervisor.OperationState, string) {
				if at == "read" && op.Position == 0 {
					wait(ctx, "operation")
					return supervisor.OperationFailed, ""
				}
				return work(ctx, op)
			}
			if at != "before a start" {
				defer r.live()()
			}
			sent := r.sendNamed("m1", file("a"))
			if at != "before a start" {
				r.stop()
				synctest.Wait()
			}
			r.edit(sent, file("b"))
			if at == "before a start" {
				defer r.live()()
			}
			r.stop()
			synctest.Wait()
			r.expect("what the model reads", r.parts(sent), "text of b")
			r.note(func() {
				want := map[string]string{"fetched": "[fetch its user has replaced these files]",
					"read": "[operation its user has replaced these files]", "before a start": "[]"}[at]
				r.expect("ended", fmt.Sprint(ended), want)
			})
		})
	}
}

// sendNamed sends files from ann, in a message with a name.
func (r *rig) sendNamed(message string, files ...supervisor.Attachment) supervisor.Inbound {
	r.Helper()
	return r.putItem(supervisor.BatchItem{Inbound: supervisor.Inbound{Message: message}, Attachments: files})
}

// edit replaces the files of a message of ann's.
func (r *rig) edit(of supervisor.Inbound, files ...supervisor.Attachment) {
	r.Helper()
	r.putItem(supervisor.BatchItem{Inbound: supervisor.Inbound{Message: of.Message}, Attachments: files,
		EditedAt: time.Now()})
}

func (r *rig) putItem(item supervisor.BatchItem) supervisor.Inbound {
	r.Helper()
	r.keys++
	item.Update, item.Inbound.Key, item.Inbound.Kind = int64(r.keys), fmt.Sprint("key-", r.keys), supervisor.KindText
	item.Inbound.Conversation = supervisor.Conversation{User: "ann", Channel: supervisor.ChannelTelegram, Chat: "42"}
	receipt, err := r.db.Inbox().StoreBatch(r.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{item}})
	r.must(err)
	return receipt.Stored[0]
}
