package attachment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/attachment"
	"mews/supervisor/spool"
	"mews/supervisor/sqlite"
	"mews/supervisor/sqlite/sqlitetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is a Receiver with a real database and a real spool. The test plays the channel and the
// worker.
type rig struct {
	*testing.T
	db       *sqlite.DB
	dir      string // folder of the spool
	spool    *spool.Spool
	stop     func()
	endUser  func(context.Context, string) error // ends the arrivals of a user
	unserved string                              // the user who is not served

	mu            sync.Mutex // guards the fields below
	keys          int
	fetch         func(ctx context.Context, file string, w io.Writer) error
	work          func(ctx context.Context, op supervisor.Operation) (supervisor.OperationState, string)
	woken         int
	starts        map[int64]int // number of starts by operation
	cancels       []int64
	fetching      int
	maxConcurrent int // highest number of concurrent fetches
	missing       []string
}

func newRig(t *testing.T) *rig {
	r := &rig{T: t, starts: map[int64]int{}}
	dir := t.TempDir()
	r.db = sqlitetest.OpenPath(t, filepath.Join(dir, "mews.db"), sqlite.Options{Now: time.Now})
	r.dir = filepath.Join(dir, "spool")
	s, err := spool.Open(r.dir)
	r.must(err)
	t.Cleanup(func() { s.Close() })
	r.spool = s
	r.fetch = func(_ context.Context, file string, w io.Writer) error {
		_, err := io.WriteString(w, "bytes of "+file)
		return err
	}
	r.work = func(_ context.Context, op supervisor.Operation) (supervisor.OperationState, string) {
		var p protocol.ReceiveParameters
		r.must(json.Unmarshal([]byte(op.Parameters), &p))
		var result protocol.ReceiveResult
		for _, f := range p.Files {
			got := protocol.ReceivedFile{Path: "uploads/" + f.Name, Parts: []protocol.ContentPart{{Text: "text of " +
				f.Name}}}
			switch f.Kind {
			case protocol.AttachmentVoice:
				got.Parts, got.Seconds = nil, f.Seconds
			case protocol.AttachmentPhoto:
				got.Parts = append(got.Parts, protocol.ContentPart{Image: &protocol.Image{BlobRef: f.Blob,
					MediaType: "image/jpeg", Width: 4, Height: 3}})
			}
			result.Files = append(result.Files, got)
		}
		text, err := json.Marshal(result)
		r.must(err)
		return supervisor.OperationDone, string(text)
	}
	return r
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// live runs a Receiver, as one life of the service, until the returned function is called.
func (r *rig) live() (end func()) {
	ctx, cancel := context.WithCancel(r.Context())
	receiver := attachment.New(attachment.Options{
		Inbox: r.db.Inbox(), Files: r.db.Attachments(), Operations: r, Spool: r.spool,
		Fetch: func(ctx context.Context, _ supervisor.Channel, file string, w io.Writer) error {
			r.note(func() { r.fetching++; r.maxConcurrent = max(r.maxConcurrent, r.fetching) })
			defer r.note(func() { r.fetching-- })
			return r.fetch(ctx, file, w)
		},
		Transcribe: func(_ context.Context, rec attachment.Recording) (string, string) {
			return fmt.Sprintf("[voice, %d s] words of %s", rec.Seconds, rec.Path), "words of " + rec.Path
		},
		Missing: func(_ context.Context, _ supervisor.Conversation, packages []string) {
			r.note(func() { r.missing = append(r.missing, packages...) })
		},
		Serves: func(c supervisor.Conversation) bool { return c.User != r.unserved },
		Wake:   func(supervisor.Conversation) { r.note(func() { r.woken++ }) },
	})
	done := make(chan error)
	go func() { done <- receiver.Run(ctx) }()
	r.stop, r.endUser = receiver.Wake, receiver.StopUser
	return func() {
		cancel()
		r.must(<-done)
	}
}

func (r *rig) note(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// RunOperation lets the test run an operation.
func (r *rig) RunOperation(ctx context.Context, op supervisor.Operation, _ func(context.Context,
	int64)) (supervisor.Operation, bool) {
	op, err := r.db.Operations().Put(ctx, op)
	if err != nil || op.State == supervisor.OperationDone || op.State == supervisor.OperationFailed {
		return op, err == nil
	}
	r.note(func() { r.starts[op.ID]++ })
	state, result := r.work(ctx, op)
	if ctx.Err() != nil {
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			r.note(func() { r.cancels = append(r.cancels, op.ID) })
		}
		return op, false
	}
	r.must(r.db.Operations().ChangeState(ctx, op.ID, supervisor.OperationRunning, ""))
	r.must(r.db.Operations().ChangeState(ctx, op.ID, state, result))
	op, _, err = r.db.Operations().Find(ctx, op.ID)
	return op, err == nil
}

// send sends a message with files, which may belong to an album.
func (r *rig) send(user, text, together string, files ...supervisor.Attachment) supervisor.Inbound {
	r.Helper()
	r.keys++
	in := supervisor.Inbound{Conversation: supervisor.Conversation{User: user, Channel: supervisor.ChannelTelegram, Chat: "42"},
		Key: fmt.Sprint("key-", r.keys), Kind: supervisor.KindText, Text: text, Group: together}
	receipt, err := r.db.Inbox().StoreBatch(r.Context(), supervisor.InboundBatch{Source: "bot",
		Items: []supervisor.BatchItem{{Update: int64(r.keys), Inbound: in, Attachments: files}}})
	r.must(err)
	return receipt.Stored[0]
}

func file(name string) supervisor.Attachment {
	return supervisor.Attachment{File: "id of " + name, Kind: protocol.AttachmentDocument, Name: name, Size: 900}
}

func photo(name string) supervisor.Attachment {
	return supervisor.Attachment{File: "id of " + name, Kind: protocol.AttachmentPhoto, Name: name}
}

// parts returns the parts of the next inbound that follow its text. Without a next inbound it
// returns "nothing".
func (r *rig) parts(in supervisor.Inbound) string {
	r.Helper()
	next, ok, err := r.db.Inbox().NextInbound(r.Context(), in.Conversation.ID)
	r.must(err)
	if !ok || next.ID != in.ID {
		return "nothing"
	}
	var parts []protocol.ContentPart
	r.must(json.Unmarshal([]byte(next.Parts), &parts))
	var texts []string
	for _, p := range parts {
		if texts = append(texts, p.Text); p.Image != nil {
			texts[len(texts)-1] = "picture"
		}
	}
	return strings.Join(texts, "; ")
}

func (r *rig) expect(what, got, want string) {
	r.Helper()
	if got != want {
		r.Errorf("%s: got %q, want %q", what, got, want)
	}
}

// inBubble runs a test in a synctest bubble. The bubble's clock moves when all goroutines wait.
func inBubble(t *testing.T, test func(*rig)) {
	synctest.Test(t, func(t *testing.T) { test(newRig(t)) })
}

func TestReceiver_File_IsFetchedAndRead(t *testing.T) {
	inBubble(t, func(r *rig) {
		defer r.live()()
		sent := r.send("ann", "read this", "", file("plan.txt"), supervisor.Attachment{File: "v", Kind: protocol.AttachmentVoice, Name: "v.ogg", Seconds: 14})
		r.stop()
		synctest.Wait()
		r.expect("what the model reads", r.parts(sent), "text of plan.txt; [voice, 14 s] words of uploads/v.ogg")
		list, err := r.db.Attachments().ListFiles(r.Context(), sent.ID)
		r.must(err)
		data, size, err := r.spool.OpenBlob(list[0].SHA256)
		r.must(err)
		defer data.Close()
		body, err := io.ReadAll(data)
		r.must(err)
		r.expect("bytes", fmt.Sprint(size, string(body)), "23bytes of id of plan.txt")
	})
}

func TestFetch_Failure_IsDescribed(t *testing.T) {
	gone := &supervisor.Error{Code: supervisor.CodeNotFound, Message: "Telegram does not have it any more."}
	for name, c := range map[string]struct {
		err  error
		want string
		took time.Duration
	}{
		"final": {gone, `[With this came a file “plan.txt” of 900 B, which could not be fetched: Telegram does not have it any more.]`, 0},
		"three times": {errors.New("reset by peer"),
			`[With this came a file “plan.txt” of 900 B, which could not be fetched: It could not be fetched in three tries. Send it again later; the log says why.]`, 3 * time.Second},
		"full":      {spool.ErrFull, `[With this came a file “plan.txt” of 900 B, which could not be fetched: The disk of this Mews is nearly full. Ask an admin to free space.]`, 0},
		"too often": {&supervisor.SendError{RetryAfter: 40 * time.Second, Err: errors.New("429")}, `[With this came a file “plan.txt” of 900 B, which could not be fetched: It could not be fetched in three tries. Send it again later; the log says why.]`, 80 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(r *rig) {
				r.fetch = func(_ context.Context, _ string, w io.Writer) error {
					_, _ = io.WriteString(w, "half of it")
					return c.err
				}
				defer r.live()()
				begun := time.Now()
				sent := r.send("ann", "read this", "", file("plan.txt"))
				r.stop()
				time.Sleep(c.took)
				synctest.Wait()
				r.expect("what the model reads", r.parts(sent), c.want)
				r.expect("it took", time.Since(begun).String(), c.took.String())
				left, err := os.ReadDir(r.dir)
				r.must(err)
				if slices.ContainsFunc(left, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), "new-") }) {
					r.Errorf("left in the spool: %v", left)
				}
			})
		})
	}
}

func TestFetch_Stalled_TimesOut(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.fetch = func(ctx context.Context, _ string, _ io.Writer) error { <-ctx.Done(); return ctx.Err() }
		defer r.live()()
		big := file("film.mp4")
		big.Size = 10 * 128 << 10 // a size in bytes that takes ten seconds at minRate
		sent := r.send("ann", "", "", big)
		r.stop()
		time.Sleep(3*70*time.Second + 2*time.Second)
		synctest.Wait()
		r.expect("before the last try has ended", r.parts(sent), "nothing")
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got := r.parts(sent); !strings.Contains(got, "three tries") {
			r.Errorf("the model reads %q", got)
		}
	})
}

func TestFetch_RunsAtMostFourAndTwoPerUser(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.fetch = func(_ context.Context, _ string, w io.Writer) error { time.Sleep(time.Second); return nil }
		defer r.live()()
		for range 5 {
			r.send("ann", "", "", file("a"))
		}
		r.stop()
		time.Sleep(500 * time.Millisecond)
		r.note(func() { r.expect("of one person", fmt.Sprint(r.maxConcurrent), "2") })
		for _, user := range []string{"bob", "cem", "dan"} {
			r.send(user, "", "", file("b"))
			r.send(user, "", "", file("c"))
		}
		r.stop()
		time.Sleep(10 * time.Second)
		r.note(func() { r.expect("of all", fmt.Sprint(r.maxConcurrent), "4") })
	})
}

func TestAlbum_Files_ReachTurnTogether(t *testing.T) {
	inBubble(t, func(r *rig) {
		defer r.live()()
		first := r.send("ann", "our week", "album 7", photo("1.jpg"))
		r.stop()
		time.Sleep(500 * time.Millisecond)
		second := r.send("ann", "", "album 7", photo("2.jpg"))
		r.stop()
		time.Sleep(599 * time.Millisecond)
		synctest.Wait()
		r.expect("while more may come", r.parts(first), "nothing")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		r.expect("once nothing more has come", r.parts(first), "text of 1.jpg; picture")
		turn, _, err := r.db.Turns().Start(r.Context(), first.ID, nil)
		r.must(err)
		end, err := r.db.Turns().Finish(r.Context(), sqlite.TurnEnding{Turn: turn.ID, Why: protocol.TurnEndDone,
			State: supervisor.InboundAnswered, Text: "ok"})
		r.must(err)
		r.expect("answered", fmt.Sprint(end.Key, end.AlsoKeys), fmt.Sprint(first.Key, []string{second.Key}))
	})
}

func TestAlbum_StillGrowing_ArrivesAfter3s(t *testing.T) {
	inBubble(t, func(r *rig) {
		defer r.live()()
		first := r.send("ann", "", "album 7", photo("1.jpg"))
		r.stop()
		for range 7 {
			time.Sleep(400 * time.Millisecond)
			r.expect("meanwhile", r.parts(first), "nothing")
			r.send("ann", "", "album 7", photo("more.jpg"))
			r.stop()
		}
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		r.expect("after three seconds", r.parts(first), "text of 1.jpg; picture")
	})
}

func TestForward_EarlierFetchHangs_ArrivesInTime(t *testing.T) {
	inBubble(t, func(r *rig) {
		fetch := r.fetch
		r.fetch = func(ctx context.Context, file string, w io.Writer) error {
			if file == "id of film.mp4" {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			return fetch(ctx, file, w)
		}
		defer r.live()()
		r.send("ann", "", "forward", file("film.mp4"))
		r.stop()
		time.Sleep(sqlite.MaxArrivalWait)
		late := r.send("ann", "", "forward", file("b.txt"))
		r.stop()
		time.Sleep(quiet)
		synctest.Wait()
		r.expect("once no more has come", r.parts(late), "text of b.txt")
	})
}

// quiet is how long an album must pause to count as complete.
const quiet = 600 * time.Millisecond

func TestMessageGroup_Pictures_AreLimited(t *testing.T) {
	inBubble(t, func(r *rig) {
		defer r.live()()
		first := r.send("ann", "", "album 7", photo("0"))
		for i := range protocol.MaxResultImages {
			r.send("ann", "", "album 7", photo(fmt.Sprint(i+1)))
		}
		r.stop()
		time.Sleep(quiet)
		synctest.Wait()
		_, _, err := r.db.Turns().Start(r.Context(), first.ID, nil)
		r.must(err)
		messages, err := r.db.Transcript().ListMessages(r.Context(), first.Conversation.ID)
		r.must(err)
		shown := 0
		for _, m := range messages {
			for _, p := range m.Parts {
				if p.Image != nil {
					shown++
				}
			}
		}
		last := messages[len(messages)-1].Text()
		if len(messages) != protocol.MaxResultImages+1 || shown != protocol.MaxResultImages || !strings.Contains(last,
			"text of 8[A picture was here") {
			r.Errorf("of %d messages %d pictures are shown; the last says %q", len(messages), shown, last)
		}
	})
}

func TestArrival_Slow_WakesLaterMessagesAfter30s(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.work = func(ctx context.Context, _ supervisor.Operation) (supervisor.OperationState, string) {
			<-ctx.Done()
			return supervisor.OperationFailed, ""
		}
		defer r.live()()
		r.send("ann", "", "", file("a"))
		r.stop()
		time.Sleep(29 * time.Second)
		r.note(func() { r.expect("woken before", fmt.Sprint(r.woken), "0") })
		time.Sleep(time.Second)
		synctest.Wait()
		r.note(func() { r.expect("woken after", fmt.Sprint(r.woken), "1") })
	})
}

// A life of the service may end between any two steps. A committed step is not done again, and the
// message arrives once.
func TestReceiver_Restart_RepeatsNoStep(t *testing.T) {
	inBubble(t, func(r *rig) {
		fetched, works := 0, r.work
		r.fetch = func(_ context.Context, _ string, w io.Writer) error {
			fetched++
			_, err := io.WriteString(w, "bytes")
			return err
		}
		r.work = func(ctx context.Context, _ supervisor.Operation) (supervisor.OperationState, string) {
			<-ctx.Done()
			return supervisor.OperationFailed, ""
		}
		end := r.live()
		sent := r.send("ann", "", "", file("a"))
		r.stop()
		synctest.Wait()
		end()
		r.work = works
		defer r.live()()
		synctest.Wait()
		r.expect("what the model reads", r.parts(sent), "text of a")
		r.expect("fetched", fmt.Sprint(fetched), "1")
		r.expect("operations", fmt.Sprint(len(r.starts)), "1")
	})
}

func TestDroppedMessage_StopsItsFetch(t *testing.T) {
	inBubble(t, func(r *rig) {
		ended := 0
		r.work = func(ctx context.Context, _ supervisor.Operation) (supervisor.OperationState, string) {
			<-ctx.Done()
			r.note(func() { ended++ })
			return supervisor.OperationFailed, ""
		}
		defer r.live()()
		sent := r.send("ann", "", "", file("a"))
		r.stop()
		synctest.Wait()
		stop, _, err := r.db.Inbox().StoreInbound(r.Context(), supervisor.Inbound{Conversation: sent.Conversation,
			Source: "bot", Key: "stop",
			Kind: supervisor.KindCommand, Command: "stop", Text: "/stop all"})
		r.must(err)
		dropped, err := r.db.Inbox().DropWaitingTexts(r.Context(), stop.ID)
		r.must(err)
		r.stop()
		synctest.Wait()
		r.note(func() {
			r.expect("dropped, ended, cancelled", fmt.Sprint(len(dropped), ended, len(r.cancels)), "1 1 1")
		})
		r.expect("what the model reads", r.parts(sent), "nothing")
	})
}

func TestReceiver_UnservedUser_Waits(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.unserved = "ann"
		defer r.live()()
		sent := r.send("ann", "", "", file("a"))
		other := r.send("bob", "", "", file("b"))
		r.stop()
		synctest.Wait()
		r.expect("of one who is not served, and of another", r.parts(sent)+"; "+r.parts(other), "nothing; text of b")
		r.unserved = ""
		r.stop()
		synctest.Wait()
		r.expect("of one who is served again", r.parts(sent), "text of a")
	})
}

func TestReceiver_FailedOperation_IsDescribed(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.work = func(context.Context, supervisor.Operation) (supervisor.OperationState, string) {
			return supervisor.OperationFailed, "There is no worker."
		}
		defer r.live()()
		sent := r.send("ann", "", "", file("a"))
		r.stop()
		synctest.Wait()
		r.expect("what the model reads", r.parts(sent), `[With this came a file “a” of 16 B, which could not be fetched: There is no worker.]`)
	})
}

// Ten text files of 30 KiB are more than twice what a usual request can hold. Each file is named,
// and the user's own words stay.
func TestMessageGroup_Text_IsLimited(t *testing.T) {
	inBubble(t, func(r *rig) {
		r.work = func(_ context.Context, op supervisor.Operation) (supervisor.OperationState, string) {
			var p protocol.ReceiveParameters
			r.must(json.Unmarshal([]byte(op.Parameters), &p))
			line := "[File uploads/" + p.Files[0].Name + "]\n"
			text, err := json.Marshal(protocol.ReceiveResult{Files: []protocol.ReceivedFile{{Path: "uploads/" + p.Files[0].Name,
				Parts: []protocol.ContentPart{{Text: line + strings.Repeat("é", 15<<10) + "\n[The end]"}}}}})
			r.must(err)
			return supervisor.OperationDone, string(text)
		}
		defer r.live()()
		own := strings.TrimSpace(strings.Repeat("own ", 2000))
		var sent []supervisor.Inbound
		for n := range 10 {
			sent = append(sent, r.send("ann", own, "forward", file(fmt.Sprint(n, ".txt"))))
		}
		r.stop()
		time.Sleep(time.Second)
		synctest.Wait()
		_, _, err := r.db.Turns().Start(r.Context(), sent[0].ID, nil)
		r.must(err)
		messages, err := r.db.Transcript().ListMessages(r.Context(), sent[0].Conversation.ID)
		r.must(err)
		size := 0
		for n, m := range messages {
			r.expect("own words", m.Parts[0].Text, own)
			text := m.Parts[1].Text
			size += len(text)
			if !strings.HasPrefix(text, fmt.Sprintf("[File uploads/%d.txt]\n", n)) || !strings.HasSuffix(text, "\n[The end]") {
				r.Errorf("of file %d the model reads %.60q ... %q", n, text, text[max(0, len(text)-60):])
			}
			if cut := strings.Contains(text, "; read_file reads the rest, by its path ...]"); cut != (n > 1) {
				r.Errorf("file %d: cut is %v", n, cut)
			}
		}
		if len(messages) != 10 || size < 64<<10 || size > 96<<10 {
			r.Errorf("the model reads %d messages with %d bytes of files", len(messages), size)
		}
	})
}

// Even a fetch that ignores the end of its context stores nothing after the user was stopped.
func TestStopUser_LateFetch_StoresNothing(t *testing.T) {
	inBubble(t, func(r *rig) {
		late := make(chan struct{})
		r.fetch = func(ctx context.Context, _ string, w io.Writer) error {
			<-ctx.Done() // the fetch writes all bytes although ctx has ended
			<-late
			_, err := io.WriteString(w, "bytes")
			return err
		}
		defer r.live()()
		sent := r.send("ann", "", "", file("a"))
		r.stop()
		synctest.Wait()
		r.unserved = "ann"
		ended := make(chan error, 1)
		go func() { ended <- r.endUser(r.Context(), "ann") }()
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("the end was not waited for")
		}
		short, cancel := context.WithTimeout(r.Context(), time.Second)
		defer cancel()
		if err := r.endUser(short, "ann"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("waited for it too short: %v", err)
		}
		close(late)
		r.must(<-ended)
		r.stop()
		synctest.Wait()
		list, err := r.db.Attachments().ListFiles(r.Context(), sent.ID)
		r.must(err)
		r.expect("bytes, and why not", list[0].SHA256+list[0].Failure, "")
		r.must(r.endUser(r.Context(), "ann"))
	})
}

// After the lockout the operation continues, and nothing is dropped.
func TestFetch_UserLockedOut_ContinuesLater(t *testing.T) {
	inBubble(t, func(r *rig) {
		works := r.work
		r.work = func(ctx context.Context, _ supervisor.Operation) (supervisor.OperationState, string) {
			<-ctx.Done()
			return supervisor.OperationFailed, ""
		}
		defer r.live()()
		sent := r.send("ann", "", "", file("a"))
		r.stop()
		synctest.Wait()
		r.unserved = "ann"
		r.stop()
		synctest.Wait()
		r.work, r.unserved = works, ""
		r.stop()
		synctest.Wait()
		r.expect("what the model reads", r.parts(sent), "text of a")
		r.note(func() { r.expect("cancelled", fmt.Sprint(len(r.cancels)), "0") })
	})
}
