package model

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mews/supervisor/modelcall"
)

// listingProvider is a provider with a fixed list of models.
type listingProvider struct {
	scriptedProvider
	models func(context.Context) ([]string, error)
	asked  int
}

func (s *listingProvider) Models(ctx context.Context) ([]string, error) {
	s.asked++
	return s.models(ctx)
}

func TestListModels_IncludesConfiguredModels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := catalogueOf(t, answers(""), answers(""))
		open := &listingProvider{models: func(context.Context) ([]string, error) { return []string{"m", "z", "b"}, nil }}
		shut := &listingProvider{models: func(context.Context) ([]string, error) {
			return nil,
				failed(modelcall.AuthFailed)
		}}
		slow := &listingProvider{models: func(ctx context.Context) ([]string, error) { <-ctx.Done(); return nil, ctx.Err() }}
		c.providers["a"] = provider{Provider: open}
		c.providers["shut"], c.providers["slow"] = provider{Provider: shut}, provider{Provider: slow}
		want := []ListedModel{{Spec: "a/b"}, {Spec: "a/m", Default: true}, {Spec: "a/z"}, {Spec: "b/m"},
			{Spec: "offline"},
			{Spec: "shut", Err: "It failed: auth."}, {Spec: "slow",
				Err: "The provider did not list its models within 5 seconds."}}
		for range 2 {
			start := time.Now()
			if diff := cmp.Diff(want, c.ListModels(t.Context())); diff != "" || time.Since(start) != listTimeout {
				t.Errorf("after %v: %s", time.Since(start), diff)
			}
		}
		if open.asked != 1 || shut.asked != 2 {
			t.Errorf("asked %d and %d times", open.asked, shut.asked)
		}
		time.Sleep(listTTL)
		if c.ListModels(t.Context()); open.asked != 2 {
			t.Errorf("asked %d times after a while", open.asked)
		}
	})
}
