package api

import (
	"context"
	"errors"

	"github.com/google/go-github/v66/github"
)

// Page is a part of a list, or all of it.
type Page[T any] struct {
	Items []T
	More  bool // the list has further items
	// ETag for the next request; use it after the items were processed; "" for a list of several
	// pages
	ETag string
	// the list has not changed since the given ETag, so Items is empty; such an answer does not
	// count against the rate limit
	Same bool
}

// listing reads a list and converts its elements into items.
func listing[A, B any](ctx context.Context, c *Client, k *call, most int, ours func(A) B,
	list func(ctx context.Context, owner, name string, page github.ListOptions) ([]A, *github.Response, error)) (Page[B], error) {
	etag := k.etag
	all, more, err := pages(ctx, c, k, most, list)
	if errors.Is(err, errNotModified) {
		return Page[B]{Same: true, ETag: etag}, nil
	}
	if err != nil {
		return Page[B]{}, err
	}
	return Page[B]{Items: convertAll(all, ours), More: more, ETag: k.answerETag}, nil
}
