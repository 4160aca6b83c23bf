package work_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"mews/supervisor/internal/work"
)

func yes() bool { return true }

func TestEnd_WorkOfUser_IsAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w work.WorkByUser
		anns, annDone, _ := w.Begin(t.Context(), "ann", yes)
		bobs, bobDone, _ := w.Begin(t.Context(), "bob", yes)
		defer bobDone()
		ended := make(chan error, 1)
		go func() { ended <- w.End(t.Context(), "ann") }()
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

func TestEnd_ContextEndsFirst_ReturnsItsCause(t *testing.T) {
	var w work.WorkByUser
	_, done, _ := w.Begin(t.Context(), "ann", yes)
	defer done()
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("it stops")
	cancel(why)
	if err := w.End(ctx, "ann"); !errors.Is(err, why) {
		t.Errorf("got %v", err)
	}
}

func TestBegin_UserNotServed_BeginsNothing(t *testing.T) {
	var w work.WorkByUser
	if _, _, ok := w.Begin(t.Context(), "ann", func() bool { return false }); ok {
		t.Error("work began for somebody who is not served")
	}
	if err := w.End(t.Context(), "ann"); err != nil {
		t.Error(err)
	}
}
