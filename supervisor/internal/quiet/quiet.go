// Package quiet reads quiet hours, and computes when they end.
package quiet

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Hours are a user's quiet hours, without proactive messages. They last from one time of the day to
// another, over midnight if the second time is earlier. The zero value means no quiet hours.
type Hours struct {
	From, To int // start and end, in minutes since midnight
}

var pattern = regexp.MustCompile(`^(\d{1,2})[:.](\d\d)\s*(?:-|–|to)\s*(\d{1,2})[:.](\d\d)$`)

// Parse parses quiet hours such as 22:00-07:30. ok is false for any other text, and for two equal
// times.
func Parse(text string) (q Hours, ok bool) {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return q, false
	}
	var n [4]int
	for i := range n {
		n[i], _ = strconv.Atoi(found[i+1]) // two digits are always a number, so there is no error
	}
	if n[0] > 23 || n[1] > 59 || n[2] > 23 || n[3] > 59 {
		return q, false
	}
	q = Hours{n[0]*60 + n[1], n[2]*60 + n[3]}
	return q, q.From != q.To
}

// String returns the quiet hours in the form that Parse takes, such as 22:00-07:30.
func (q Hours) String() string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", q.From/60, q.From%60, q.To/60, q.To%60)
}

// CurrentEnd returns when the current quiet hours end in a time zone. ok is false outside quiet
// hours. If clocks change, the end is the first minute that is not quiet.
func (q Hours) CurrentEnd(now time.Time, zone *time.Location) (end time.Time, ok bool) {
	if !q.includes(now, zone) {
		return end, false
	}
	end = now.Truncate(time.Minute)
	for q.includes(end, zone) {
		end = end.Add(time.Minute)
	}
	return end, true
}

// includes reports whether a moment is quiet.
func (q Hours) includes(at time.Time, zone *time.Location) bool {
	hour, minute, _ := at.In(zone).Clock()
	switch now := hour*60 + minute; {
	case q.From < q.To:
		return now >= q.From && now < q.To
	case q.From > q.To:
		return now >= q.From || now < q.To
	}
	return false
}
