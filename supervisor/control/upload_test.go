package control_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/control"
	"mews/supervisor/problem"
	"mews/supervisor/spool"
)

// randomBytes returns n random bytes.
func randomBytes(n int) []byte {
	data := make([]byte, n)
	random := rand.NewChaCha8([32]byte{1})
	_, _ = random.Read(data)
	return data
}

// spooled returns the bytes of a blob in the spool.
func (h *rig) spooled(ref protocol.BlobRef) []byte {
	h.Helper()
	file, _, err := h.spool.OpenBlob(ref.SHA256)
	h.must(err)
	defer file.Close()
	data, err := io.ReadAll(file)
	h.must(err)
	return data
}

func TestUpload_MessageSent_FileIsAttached(t *testing.T) {
	h := newRig(t)
	h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	for _, size := range []int{0, 1, control.MaxUploadPartBytes, 3*control.MaxUploadPartBytes + 7} {
		data := randomBytes(size)
		ref, err := v.UploadFile(t.Context(), bytes.NewReader(data))
		h.must(err)
		if ref.Size != int64(size) || !bytes.Equal(h.spooled(ref), data) {
			t.Errorf("of %d bytes came %d, or others", size, ref.Size)
		}
		said, err := v.SendMessage(t.Context(), fmt.Sprint(size), "", control.UploadedFile{Blob: ref,
			Name: "../a\u202eb.png"})
		h.must(err)
		in := <-h.accepted
		if in.ID != said.Inbound || in.State != supervisor.InboundArriving {
			t.Errorf("accepted was %d, which is %s, want %d", in.ID, in.State, said.Inbound)
		}
		list, err := h.db.Attachments().ListFiles(t.Context(), in.ID)
		h.must(err)
		want := []supervisor.Attachment{{File: ref.SHA256, SHA256: ref.SHA256, Kind: protocol.AttachmentPhoto,
			Name:      "a_b.png",
			MediaType: "image/png", Size: int64(size)}}
		if d := cmp.Diff(want, list); d != "" {
			t.Error(d)
		}
	}
}

// restartOnReadFile is a file that restarts the supervisor when it is first read beyond an offset.
type restartOnReadFile struct {
	*bytes.Reader
	at int64
	do func()
}

func (e *restartOnReadFile) Read(p []byte) (int, error) {
	if at := e.Size() - int64(e.Len()); at >= e.at && e.do != nil {
		e.do()
		e.do = nil
	}
	return e.Reader.Read(p)
}

func TestUpload_SupervisorRestarts_StartsOver(t *testing.T) {
	h := newRig(t)
	end := h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	data := randomBytes(5 * control.MaxUploadPartBytes)
	ref, err := v.UploadFile(t.Context(), &restartOnReadFile{bytes.NewReader(data), 2 * control.MaxUploadPartBytes,
		func() {
			end()
			h.live()
		}})
	h.must(err)
	if !bytes.Equal(h.spooled(ref), data) {
		t.Error("other bytes came")
	}
	files, err := os.ReadDir(strings.TrimSuffix(h.path, "s") + "spool")
	h.must(err)
	if len(files) != 1 {
		t.Errorf("the spool has %d files: of the one that did not come whole something is left", len(files))
	}
}

// fullSpool is a spool that has no room.
type fullSpool struct{}

func (fullSpool) NewWriter() (*spool.Writer, error) { return nil, spool.ErrFull }

func TestUpload_Invalid_IsRefused(t *testing.T) {
	h := newRig(t)
	h.options.Spool = fullSpool{}
	h.live()
	v := h.attach(control.JoinChatRequest{After: control.StartAtUndelivered})
	if _, err := v.UploadFile(t.Context(), strings.NewReader("x")); !strings.HasPrefix(problem.UserText(err),
		"The disk of this Mews is nearly full") {
		t.Errorf("with a full disk: %v", err)
	}
	bobs := protocol.BlobRef{SHA256: strings.Repeat("ab", 32), Size: 7}
	h.must(h.db.Blobs().AddOwner(t.Context(), "bob", bobs, 0))
	for what, file := range map[string]control.UploadedFile{
		"another's":     {Blob: bobs, Name: "a.txt"},
		"one not there": {Blob: protocol.BlobRef{SHA256: strings.Repeat("cd", 32), Size: 7}, Name: "a.txt"},
	} {
		if _, err := v.SendMessage(t.Context(), "k", "hello",
			file); problem.UserText(err) != "a.txt is not here any more: attach it again." {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := v.SendMessage(t.Context(), "k", "hello", make([]control.UploadedFile,
		protocol.MaxArrivedFiles+1)...); err == nil ||
		!strings.Contains(problem.UserText(err), "at most 32 files") {
		t.Errorf("too many: %v", err)
	}
	if n := h.inbounds(); n != 0 {
		t.Errorf("%d messages were kept", n)
	}
}

// TestTranscribeFile_ReturnsText checks that a file is transcribed for the user who uploaded it.
// The call creates no message, and leaves waiting deliveries to another client.
func TestTranscribeFile_ReturnsText(t *testing.T) {
	h := newRig(t)
	h.options.Transcribe = func(_ context.Context, c supervisor.Conversation,
		file supervisor.Attachment) (control.TranscribeResult, error) {
		if file.Name == "no.ogg" {
			return control.TranscribeResult{}, supervisor.Errorf(supervisor.CodeUnavailable, "nobody listens.")
		}
		text := fmt.Sprintf("%s %s %s", c.User, file.Name, h.spooled(protocol.BlobRef{SHA256: file.SHA256}))
		return control.TranscribeResult{Text: text, Language: "en", Seconds: 3, Milliseconds: 1200}, nil
	}
	h.live()
	h.notice("for another client")
	for user, whose := range map[string]string{"": "ann", "bob": "bob"} {
		got, err := control.TranscribeFile(t.Context(), h.path, user, "../a.ogg", strings.NewReader("sound"))
		h.must(err)
		want := control.TranscribeResult{Text: whose + " a.ogg sound", Language: "en", Seconds: 3, Milliseconds: 1200}
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
	if _, err := control.TranscribeFile(t.Context(), h.path, "", "no.ogg",
		strings.NewReader("")); problem.UserText(err) != "nobody listens." {
		t.Errorf("said is %v", err)
	}
	if _, err := control.TranscribeFile(t.Context(), h.path, "carl", "a.ogg",
		strings.NewReader("")); problem.UserText(err) != "There is no such user." {
		t.Errorf("for nobody: %v", err)
	}
	if pending := h.pending(); len(pending) != 1 || h.inbounds() != 0 {
		t.Errorf("%q waits, and %d inbounds are there", pending, h.inbounds())
	}
}
