package serve_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mews/protocol"
	"mews/protocol/protocoltest"
	"mews/worker/host/hosttest"
)

// startProcess starts a worker in a process of its own, and returns a function that kills it.
func (k *keptHome) startProcess() (kill func()) {
	k.t.Helper()
	s := &supervisor{t: k.t, hosts: map[int64]*hosttest.Host{}, blobs: map[int64][]byte{}, system: map[string]string{},
		kept: map[int64][]byte{}}
	ours, theirs := protocoltest.NewSocketPair(k.t)
	socket, err := theirs.(*net.UnixConn).File()
	if err != nil {
		k.t.Fatal(err)
	}
	folder, err := os.Open(k.folder)
	if err != nil {
		k.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerVariable+"=1")
	cmd.Stderr, cmd.ExtraFiles = os.Stderr, []*os.File{socket, folder}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	for _, f := range []interface{ Close() error }{socket, folder, theirs} {
		_ = f.Close() // the worker has its own
	}
	s.pipe = ours
	s.conn = protocol.NewConn(ours, protocoltest.HandlerFuncs{CallFunc: s.call, NotifyFunc: s.notify},
		protocol.Options{})
	protocoltest.RunConn(k.t, s.conn)
	k.s = s
	k.greet()
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	k.t.Cleanup(kill)
	return kill
}

// restoreBefore restores the home to its state before the newest wanted version of a path.
func (k *keptHome) restoreBefore(path string, wanted func(protocol.FileVersion) bool) {
	k.t.Helper()
	versions := k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryVersions, Path: path}).Versions
	for _, v := range versions {
		if wanted(v) {
			k.fileHistory(protocol.FileHistoryParameters{Action: protocol.FileHistoryRestore, Path: ".",
				Point: v.Point - 1})
			return
		}
	}
	k.t.Fatalf("no version of %s: %+v", path, versions)
}

// TestKill_WhileProgramRuns_KeepsAll: the worker is killed after the program has deleted files. The
// next worker has them, and says when they were changed.
func TestKill_WhileProgramRuns_KeepsAll(t *testing.T) {
	k := &keptHome{t: t, dir: t.TempDir(), folder: t.TempDir(), kept: true}
	for name, text := range homeFiles() {
		k.write(name, text)
	}
	before := k.content()
	kill := k.startProcess()
	begun, end := newPipe(t), newPipe(t)
	_, id := k.prepareTurn(bash("rm -rf docs diary.md; echo > " + begun +
		"; cat " + end + "; rm -rf many; echo > " + begun))
	ended := make(chan error, 1)
	go func() {
		_, err := k.s.turn(context.Background(), id)
		ended <- err
	}()
	if _, err := os.ReadFile(begun); err != nil { // waits until the program has deleted files
		t.Fatal(err)
	}
	kill()
	if err := <-ended; err == nil {
		t.Error("the turn has ended as usual")
	}
	if err := os.WriteFile(end, nil, 0); err != nil { // the program goes on after its worker
		t.Fatal(err)
	}
	if _, err := os.ReadFile(begun); err != nil {
		t.Fatal(err)
	}
	k.startProcess()
	k.turn(bash("true"))
	k.restoreBefore("diary.md", func(v protocol.FileVersion) bool {
		return v.State == protocol.FileStateAbsent && v.By.Kind == protocol.HistoryAuthorOther
	})
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Error(diff)
	}
}

// TestKill_BeforeCommit_HistoryHasTheProgram: the worker is killed when the program's changes are
// in the history, but before the supervisor has committed the result.
func TestKill_BeforeCommit_HistoryHasTheProgram(t *testing.T) {
	k := &keptHome{t: t, dir: t.TempDir(), folder: t.TempDir(), kept: true}
	for name, text := range homeFiles() {
		k.write(name, text)
	}
	before := k.content()
	kill := k.startProcess()
	h, id := k.prepareTurn(bash("rm -rf docs diary.md"))
	h.Fail = func(_ int, call string) hosttest.Failure {
		if call == "done" {
			kill()
			return hosttest.FailureCallLost
		}
		return hosttest.FailureNone
	}
	if _, err := k.s.turn(context.Background(), id); err == nil {
		t.Error("the turn has ended as usual")
	}
	k.startProcess()
	k.turn(bash("true"))
	k.restoreBefore("diary.md", func(v protocol.FileVersion) bool {
		return v.State == protocol.FileStateAbsent &&
			v.By == protocol.HistoryAuthor{Kind: protocol.HistoryAuthorProgram, Turn: id,
				Words: "rm -rf docs diary.md"}
	})
	if diff := cmp.Diff(before, k.content()); diff != "" {
		t.Error(diff)
	}
}

// TestKill_AfterCommit_UndoBringsAllBack: the worker is killed right after the commit.
func TestKill_AfterCommit_UndoBringsAllBack(t *testing.T) {
	k := &keptHome{t: t, dir: t.TempDir(), folder: t.TempDir(), kept: true}
	for name, text := range homeFiles() {
		k.write(name, text)
	}
	before := k.content()
	kill := k.startProcess()
	results := k.turn(bash("rm -rf docs diary.md"), call{"write_file", map[string]any{"path": "notes/empty",
		"content": "x", "overwrite": true}},
		bash("sed -i s/number/figure/ many/*"))
	kill()
	k.startProcess()
	undone := k.undo(protocol.UndoActionUnchangedFiles, undos(results...))
	if diff := cmp.Diff(before, k.content()); diff != "" || outcomes(undone) != "done done done" {
		t.Errorf("%+v\n%s", undone, diff)
	}
}
