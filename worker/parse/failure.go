package parse

import (
	"fmt"
	"slices"
	"strings"
)

// Failure is the reason why a parser can't read a file. Its text has no words of the file.
type Failure struct {
	Reason  Reason  `json:"reason"`
	Format  string  `json:"format,omitempty"`  // format of the picture, such as PNG, for the failure's text
	Numbers []int64 `json:"numbers,omitempty"` // numbers in the failure's text; each Reason lists its own
}

// NewFailure returns a Failure for a reason; numbers are the numbers in its text.
func NewFailure(r Reason, numbers ...int64) *Failure { return &Failure{Reason: r, Numbers: numbers} }

// Reason names the text of a failure.
type Reason string

const (
	ReasonDamaged            Reason = "damaged"
	ReasonDamagedPicture     Reason = "damaged-picture" // Failure.Format: the picture's format
	ReasonTooMuchContent     Reason = "too-much"
	ReasonOutOfMemory        Reason = "memory"
	ReasonTimeout            Reason = "timeout"
	ReasonTooManyNames       Reason = "many-names"
	ReasonUnpacksTooLarge    Reason = "unpacks" // Failure.Numbers: the limit in MiB
	ReasonNoText             Reason = "no-text"
	ReasonNoPicture          Reason = "no-picture"
	ReasonFileTooLarge       Reason = "large-file"   // Failure.Numbers: the limit in MiB
	ReasonZeroPixels         Reason = "no-pixels"    // Failure.Numbers: width and height in pixels
	ReasonTooManyPixels      Reason = "pixels"       // Failure.Numbers: width, height, allowed millions of pixels
	ReasonTooMuchPixelMemory Reason = "pixel-memory" // Failure.Numbers: width, height, needed MB, allowed MB
)

// Error explains the failure to people, in words for the middle of a sentence.
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
