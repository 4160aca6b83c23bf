package filehistory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
)

// Programs, the background work and searches run at once. The race detector checks the lock.
func TestHistory_ManyCallers_AllSucceed(t *testing.T) {
	f := newFixture(memoryTB{t})
	f.fill(50)
	ctx := context.Background()
	repeat := func(call func(i int) error) func() {
		return func() {
			for i := range 10 {
				if err := call(i); err != nil {
					t.Error(err)
				}
			}
		}
	}
	program := func(name string) func() {
		return repeat(func(i int) error {
			tree, err := f.h.Walk(ctx)
			if err != nil {
				return err
			}
			p, err := f.h.BeginProgram(ctx, tree)
			f.write(name, fmt.Sprint(name, i))
			if errors.Is(err, errBusy) {
				return nil // the machine is slow
			}
			if err != nil {
				return err
			}
			defer p.Drop()
			if tree, err = f.h.Walk(ctx); err != nil || i%3 == 0 {
				return err
			}
			_, err = p.End(ctx, tree, byProgram)
			p.NotKept()
			return err
		})
	}
	var callers sync.WaitGroup
	for _, call := range []func(){
		program("a"), program("b"),
		repeat(func(int) error { return f.h.keepWaiting(ctx) }),
		repeat(func(int) error { return f.scanHome() }),
		repeat(func(int) error { _, err := f.h.Search(ctx, []string{"."}, []string{"x"}); return err }),
		repeat(func(int) error { return f.h.unloadIdle() }),
	} {
		callers.Go(call)
	}
	callers.Wait()
	f.begin().Drop()
	f.keepAll()
	if got := f.version("a", 0) + f.version("b", 0); got != "a9b9" || len(f.h.running) > 0 {
		t.Errorf("got %q, %d programs still run", got, len(f.h.running))
	}
}
