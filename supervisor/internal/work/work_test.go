package work_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"mews/supervisor/internal/work"
)

func yes() bool { return true }

func TestEndWork_RunningWork_IsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w work.UserWork
		anns, annDone, _ := w.BeginWork(t.Context(), "ann", yes)
		bobs, bobDone, _ := w.BeginWork(t.Context(), "bob", yes)
		defer bobDone()
		ended := make(chan error, 1)
		go func() { ended <- w.EndWork(t.Context(), "ann") }()
		synctest.Wait()
		if anns.Err() == nil || bobs.Err() != nil || len(ended) != 0 {
			t.Errorf("ann's: %v, bob's: %v, ended: %d", anns.Err(), bobs.Err(), len(ended))
		}
		annDone()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestEndWork_ContextEndsFirst_ReturnsCause(t *testing.T) {
	var w work.UserWork
	_, done, _ := w.BeginWork(t.Context(), "ann", yes)
	defer done()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("it stops")
	cancel(why)
	if err := w.EndWork(ctx, "ann"); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestBeginWork_UserNotServed_BeginsNothing(t *testing.T) {
	var w work.UserWork
	if _, _, ok := w.BeginWork(t.Context(), "ann", func() bool { return false }); ok {
		t.Error("work began for somebody who is not served")
	}
	if err := w.EndWork(t.Context(), "ann"); err != nil {
		t.Error(err)
	}
}
