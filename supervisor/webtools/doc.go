// Package webtools is the feature with which models use the web.
package webtools

import (
	"context"

	"mews/supervisor/approval"
)

// Approver asks for permission for an effect.
type Approver interface {
	Allow(ctx context.Context, r approval.Request) error
}
