package parse

import (
	"fmt"
	"slices"
	"strings"
)

// Failure is the reason why a parser can't read a file. Its text has no words of the file.
type Failure struct {
	Reason  Reason  `json:"reason"`
	Format  string  `json:"format,omitempty"`  // the format of a picture, such as PNG, in the text
	Numbers []int64 `json:"numbers,omitempty"` // the numbers in the text
}

// NewFailure returns a Failure for a reason; numbers are the numbers in its text.
func NewFailure(r Reason, numbers ...int64) *Failure { return &Failure{Reason: r, Numbers: numbers} }

// Reason names the text of a failure.
type Reason string

const (
	ReasonDamaged         Reason = "damaged"
	ReasonDamagedPicture  Reason = "damaged-picture" // the text names a Format
	ReasonTooMuchContent  Reason = "too-much"
	ReasonOutOfMemory     Reason = "memory"
	ReasonTimeout         Reason = "timeout"
	ReasonTooManyNames    Reason = "many-names"
	ReasonUnpacksTooLarge Reason = "unpacks" // number in the text: MiB
	ReasonNoText          Reason = "no-text"
	ReasonNoPicture       Reason = "no-picture"
	ReasonLargeFile       Reason = "large-file"   // number in the text: MiB
	ReasonZeroPixels      Reason = "no-pixels"    // numbers in the text: width, height
	ReasonTooManyPixels   Reason = "pixels"       // numbers in the text: width, height, millions of pixels
	ReasonPixelMemory     Reason = "pixel-memory" // numbers in the text: width, height, MB, MB
)

// Error explains the failure to people: the middle of a sentence.
func (f *Failure) Error() string {
	text := failureTexts[f.Reason]
	named := strings.Contains(text, "%s")
	if text == "" || strings.Count(text, "%d") != len(f.Numbers) ||
		named && !slices.Contains(pictureFormats, f.Format) {
		return failureTexts[ReasonDamaged]
	}
	var values []any
	if named {
		values = append(values, f.Format)
	}
	for _, n := range f.Numbers {
		values = append(values, n)
	}
	return fmt.Sprintf(text, values...)
}
