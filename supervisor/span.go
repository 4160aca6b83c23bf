package supervisor

import "time"

// Span is a span of time. From is in it and To is not. A zero From or To sets no bound.
type Span struct{ From, To time.Time }
