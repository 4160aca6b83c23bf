package filehistory

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// timeLayout is the form in which times are shown.
const timeLayout = "2006-01-02 15:04"

// timeLayouts are the forms in which a time may be given. A time without a zone is in the user's
// zone.
var timeLayouts = []string{time.RFC3339, timeLayout, "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02T15:04:05", time.DateOnly}

// parseTime reads a time. A minute or a day stands for its end, because versions are shown to the
// minute.
func parseTime(text string, zone *time.Location) (time.Time, error) {
	for _, layout := range timeLayouts {
		at, err := time.ParseInLocation(layout, text, zone)
		if err != nil {
			continue
		}
		if layout == timeLayout || layout == "2006-01-02T15:04" {
			at = at.Add(time.Minute - time.Nanosecond)
		}
		if layout == time.DateOnly {
			at = at.AddDate(0, 0, 1).Add(-time.Nanosecond)
		}
		return at, nil
	}
	return time.Time{}, fmt.Errorf("at %.80q: want a time %s, or with seconds and a zone as in RFC 3339", text, atText)
}

// findPoint returns the last point until a time.
func (f *fileHistory) findPoint(text string) (int64, error) {
	at, err := parseTime(text, f.zone)
	if err != nil {
		return 0, err
	}
	point, err := f.history.FindPoint(at)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("at %s: nothing that old is kept", text)
	}
	return point, err
}
