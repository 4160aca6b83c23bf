package api

import (
	"context"
	"errors"

	"github.com/google/go-github/v66/github"
)

// Page is what there is of a list.
type Page[T any] struct {
	Items []T
	More  bool // there are others, which were not read
	// to ask with the next time; it is kept once what was read is dealt with. "" for a list of
	// several pages
	ETag string
	// nothing has changed since the ETag that was asked with, and Items is empty. It costs none of
	// the limit
	Same bool
}

// listing reads a list into ours.
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
	return Page[B]{Items: each(all, ours), More: more, ETag: k.got}, nil
}
