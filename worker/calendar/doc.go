// Package calendar reads and changes iCalendar files (RFC 5545). It does no I/O.
//
// A File keeps each component as its lines. An edit replaces only the lines of the properties that
// it changes, in the file's own line endings and folding. Everything else keeps its bytes, also
// lines that are no iCalendar.
//
// Occurrences are computed on the wall: a rule repeats the date and the time on a clock in the
// event's zone. All computing is bounded, because a file may come from anybody. A cut result names
// the event that was cut.
package calendar

import "time"

// Limits of one computation of occurrences.
const (
	MaxOccurrences = 1_000                    // of all events together
	MaxSteps       = 50_000                   // days or times that one rule may examine
	MaxSpan        = 5 * 366 * 24 * time.Hour // between the two instants
	MaxFileBytes   = 16 << 20
)
