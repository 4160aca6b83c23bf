package hostcall_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/hostcall"
	"mews/supervisor/modelcall"
	"mews/supervisor/spool"
)

// pngData begins like a PNG file, which is all that the supervisor reads.
const pngData = "\x89PNG\r\n\x1a\n and pixels"

// upload stores data as a blob of the turn's user.
func upload(t *testing.T, d *hostcall.Conn, turn int64, data string) protocol.BlobRef {
	t.Helper()
	begun, err := ask(t, d, protocol.MethodBlobBegin, protocol.BlobBeginParams{Turn: turn})
	if err != nil {
		t.Fatal(err)
	}
	blob := begun.(protocol.BlobBeginResult).Blob
	if _, err := ask(t, d, protocol.MethodBlobWrite, protocol.BlobWriteParams{Turn: turn, Blob: blob,
		Data: []byte(data)}); err != nil {
		t.Fatal(err)
	}
	kept, err := ask(t, d, protocol.MethodBlobCommit, protocol.BlobCommitParams{Turn: turn, Blob: blob})
	if err != nil {
		t.Fatal(err)
	}
	return kept.(protocol.BlobRef)
}

func pngOf(ref protocol.BlobRef) protocol.Image {
	return protocol.Image{BlobRef: ref, MediaType: "image/png", Width: 4, Height: 3}
}

// asksThenSays is a model that first calls a tool and then says something. It records its requests.
func asksThenSays(requests *[]modelcall.Request) funcModel {
	return func(ctx context.Context, req modelcall.Request, delta func(string)) (protocol.Message, error) {
		*requests = append(*requests, req)
		if len(*requests) == 1 {
			return asks(1)(ctx, req, delta)
		}
		return protocol.Message{Parts: []protocol.ContentPart{{Text: "I see it."}}}, nil
	}
}

// resultIn returns the newest tool result in a request.
func resultIn(t *testing.T, req modelcall.Request) protocol.ToolResult {
	t.Helper()
	for _, m := range slices.Backward(req.Messages) {
		for _, p := range m.Parts {
			if p.Result != nil {
				return *p.Result
			}
		}
	}
	t.Fatal("there is no result in the request")
	return protocol.ToolResult{}
}

func TestPicture_IsSentUntilForgotten(t *testing.T) {
	var requests []modelcall.Request
	r := newRig(t, asksThenSays(&requests))
	call := r.makeCalls()[0]
	image := pngOf(upload(t, r.conn, r.open.Turn.ID, pngData))
	err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Text: "a.png", Images: []protocol.Image{image}})
	if err != nil {
		t.Fatal(err)
	}
	r.makeCalls()
	got := resultIn(t, requests[1])
	if !slices.Equal(got.Images, []protocol.Image{image}) || got.Text != "a.png" {
		t.Fatalf("the request has %+v", got)
	}
	if data, instead := requests[1].ReadPicture(image); string(data) != pngData || instead != "" {
		t.Errorf("it shows %q, %q", data, instead)
	}

	if _, err := r.options.Spool.(*spool.Spool).RemoveUnwantedBlobs(time.Now().Add(time.Hour), nil); err != nil {
		t.Fatal(err)
	}
	r.makeCalls()
	got = resultIn(t, requests[2])
	if len(got.Images) != 0 || !strings.Contains(got.Text, "4 x 3 pixels), and you do not see it: it is not kept any more.]") {
		t.Errorf("the request has %+v", got)
	}
	if data, instead := requests[1].ReadPicture(image); data != nil || instead == "" {
		t.Errorf("a picture that went meanwhile shows %q, %q", data, instead)
	}
}

func TestPicture_Invalid_EndsWorker(t *testing.T) {
	for name, c := range map[string]struct {
		images func(r *rig, own protocol.Image) []protocol.Image
		want   string // part of the offence's text in the audit log; "" means no offence
	}{
		"eight of one's own": {func(_ *rig, own protocol.Image) []protocol.Image { return slices.Repeat([]protocol.Image{own}, 8) }, ""},
		"nine":               {func(_ *rig, own protocol.Image) []protocol.Image { return slices.Repeat([]protocol.Image{own}, 9) }, "9 images"},
		"somebody else's": {func(r *rig, _ protocol.Image) []protocol.Image {
			bob, _ := r.newConn("bob")
			other := r.startTurn("bob", "1")
			bob.BeginTurn(hostcall.Turn{ID: other.Turn.ID, Kind: supervisor.TurnChat, Conversation: other.Turn.Conversation.ID, Reply: r.stream})
			return []protocol.Image{pngOf(upload(r.t, bob, other.Turn.ID, pngData+" of bob's"))}
		}, "not a blob of this person's"},
		"nobody's": {func(*rig, protocol.Image) []protocol.Image {
			return []protocol.Image{pngOf(protocol.BlobRef{SHA256: hash("x"), Size: 1})}
		}, "not a blob of this person's"},
		"a path": {func(*rig, protocol.Image) []protocol.Image {
			return []protocol.Image{pngOf(protocol.BlobRef{SHA256: "../mews.db", Size: 1})}
		}, "not a blob of this person's"},
		"no picture": {func(r *rig, _ protocol.Image) []protocol.Image {
			return []protocol.Image{pngOf(upload(r.t, r.conn, r.open.Turn.ID, "#!/bin/sh"))}
		}, "its bytes are no image/png"},
		"another type": {func(_ *rig, own protocol.Image) []protocol.Image {
			own.MediaType = "image/jpeg"
			return []protocol.Image{own}
		}, "its bytes are no image/jpeg"},
		"an unsupported type": {func(_ *rig, own protocol.Image) []protocol.Image {
			own.MediaType = "image/svg+xml"
			return []protocol.Image{own}
		}, "media_type"},
		"another size": {func(_ *rig, own protocol.Image) []protocol.Image {
			own.Size++
			return []protocol.Image{own}
		}, "bytes, not"},
		"a size over the limit": {func(_ *rig, own protocol.Image) []protocol.Image {
			own.Size = protocol.MaxImageBytes + 1
			return []protocol.Image{own}
		}, "size"},
		"no pixels": {func(_ *rig, own protocol.Image) []protocol.Image {
			own.Width = 0
			return []protocol.Image{own}
		}, "pixels"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, asks(1))
			call := r.makeCalls()[0]
			own := pngOf(upload(t, r.conn, r.open.Turn.ID, pngData))
			err := r.done(protocol.ToolResult{Call: call.ID, Name: call.Name, Images: c.images(r, own)})
			if c.want == "" {
				if err != nil || r.peer.ended != nil {
					t.Errorf("got %v, ended for %v", err, r.peer.ended)
				}
				return
			}
			if err == nil || r.peer.ended == nil || len(r.audited) != 1 || !strings.Contains(r.audited[0], c.want) {
				t.Errorf("got %v, ended for %v, audited %q", err, r.peer.ended, r.audited)
			}
		})
	}
}
