package operation

import "context"

// Cancel ends an operation, which fails with why.
func (o *Operations[H]) Cancel(ctx context.Context, id int64, why string) error { return nil }
