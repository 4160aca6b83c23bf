package filehistory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"mews/protocol"
	"mews/protocol/amount"
	"mews/supervisor"
	"mews/supervisor/internal/retry"
	"mews/supervisor/markdown"
	"mews/supervisor/sqlite"
)

// settingSpace is the name of the setting with a user's supervisor.FileHistorySize. The user does
// not choose it.
const settingSpace = "file history"

// noticeBaseline is the name of the notice about files that the baseline lacks. The baseline has
// the first version of each file in the home.
const noticeBaseline = "file history"

// FindSize returns the last known size of a user's file history. If none is known, ok is false.
func FindSize(ctx context.Context, settings sqlite.Settings, user string) (size supervisor.FileHistorySize, ok bool,
	err error) {
	value, ok, err := settings.Find(ctx, user, settingSpace)
	if err != nil || !ok {
		return size, false, err
	}
	err = json.Unmarshal([]byte(value), &size)
	return size, err == nil, err
}

const (
	// firstInterval is the time between two measurements until two in a row are equal.
	firstInterval = time.Minute
	// laterInterval is the time between two measurements after that.
	laterInterval = time.Hour
)

// watch has the last measurement of a running worker's file history, and the time of the next.
type watch struct {
	last protocol.HistorySpace
	next time.Time
}

// watchSpace measures the file histories of running workers until ctx ends. Once two measurements
// in a row are equal, the baseline is complete, and the user is told what it lacks.
func (h *FileHistory) watchSpace(ctx context.Context) error {
	watched := map[string]watch{}
	for retry.Sleep(ctx, firstInterval) {
		h.measureDue(ctx, watched)
	}
	return nil
}

// measureDue measures the file histories that are due. A worker that has just started is due.
func (h *FileHistory) measureDue(ctx context.Context, watched map[string]watch) {
	running := h.Running()
	for _, user := range running {
		w, known := watched[user]
		switch now := h.Now(); {
		case h.WhyOff(user) != "":
		case !known || !now.Before(w.next):
			watched[user] = h.measure(ctx, user, w)
		}
	}
	maps.DeleteFunc(watched, func(user string, _ watch) bool { return !slices.Contains(running, user) })
}

// measure measures a user's file history, and tells the user once what the baseline lacks.
func (h *FileHistory) measure(ctx context.Context, user string, w watch) watch {
	now := h.Now()
	result, err := h.run(ctx, user, 0, protocol.FileHistoryParameters{Action: protocol.FileHistorySpace})
	if err != nil || result.Space == nil {
		if err != nil && ctx.Err() == nil {
			h.Report(fmt.Errorf("measure the file history of %s: %w", user, err))
		}
		return watch{last: w.last, next: now.Add(laterInterval)}
	}
	settled := result.Space.Off != "" || reflect.DeepEqual(w.last, *result.Space)
	if err := h.record(ctx, user, supervisor.FileHistorySize{HistorySpace: *result.Space, At: now,
		Whole: settled}); err != nil && ctx.Err() == nil {
		h.Report(fmt.Errorf("record the size of the file history of %s: %w", user, err))
	}
	next := now.Add(firstInterval)
	if settled {
		next = now.Add(laterInterval)
	}
	return watch{last: *result.Space, next: next}
}

// record stores a measurement. Names of files are not stored.
func (h *FileHistory) record(ctx context.Context, user string, m supervisor.FileHistorySize) error {
	before, _, err := FindSize(ctx, h.Settings, user)
	if err != nil {
		return err
	}
	if m.Whole && !before.Whole && m.Off == "" && m.Left.Count > 0 {
		h.TellOnce(ctx, user, noticeBaseline, fmt.Sprintf(textBaseline, amount.FormatNumber(m.Files),
			amount.Plural(m.Files+m.Left.Count, "file", "files"), notKeptText(m.HistorySpace)))
	}
	m.Whole, m.Left.Named = m.Whole || before.Whole, nil
	value, _ := json.Marshal(m) // Marshal never fails for a FileHistorySize
	return h.Settings.Put(ctx, user, settingSpace, string(value))
}

// notKeptText tells how many files are not kept, and why.
func notKeptText(s protocol.HistorySpace) string {
	var reasons []string
	for _, why := range s.Why {
		reasons = append(reasons, fmt.Sprintf(textReasonCount, amount.FormatNumber(why.Count),
			markdown.EscapeSentence(why.Reason)))
	}
	if len(reasons) == 0 {
		return amount.FormatNumber(s.Left.Count)
	}
	return strings.Join(reasons, ", ")
}
