//go:build !linux

package main

import (
	"context"

	"github.com/hashicorp/go-hclog"
)

// lean does nothing here.
func lean(hclog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}
}
