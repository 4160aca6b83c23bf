package filehistory

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
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

// noticeNoRepository begins the names of notices about workspaces without a git repository.
const noticeNoRepository = "no repository "

// kindRun is the kind of the effect that a program ran.
const kindRun = "run"

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
	// firstInterval is the time between the first two measurements. It doubles until the baseline is
	// complete.
	firstInterval = time.Minute
	// laterInterval is the time between two measurements after that.
	laterInterval = time.Hour
	// maxMeasureWait is how long a measurement waits for a worker that does not answer.
	maxMeasureWait = time.Minute
)

// watch has the last measurement of a worker's file history, and the time of the next one.
type watch struct {
	last     *protocol.HistorySpace // nil means none
	interval time.Duration          // time between the last measurement and the next
	next     time.Time
}

// isSettled reports whether the baseline is complete at a measurement. It is complete if two
// measurements in a row find no waiting file, or the same numbers of kept and other files. Room
// does not count, because it changes with each byte on the disk.
func (w watch) isSettled(now protocol.HistorySpace) bool {
	return w.last != nil && (w.last.Waiting+now.Waiting == 0 ||
		w.last.Files == now.Files && w.last.Left.Count == now.Left.Count)
}

// after returns the watch after a measurement.
func (w watch) after(at time.Time, last *protocol.HistorySpace, interval time.Duration) watch {
	interval = min(interval, laterInterval)
	return watch{last: last, interval: interval, next: at.Add(interval)}
}

// watchSpace measures the file histories of running workers until ctx ends. Once the baseline is
// complete, the user is told which files it lacks. watchSpace also finishes abandoned operations.
func (h *FileHistory) watchSpace(ctx context.Context) error {
	watched := map[string]watch{}
	for retry.Sleep(ctx, firstInterval) {
		h.finishAbandoned(ctx)
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
	p := protocol.FileHistoryParameters{Action: protocol.FileHistorySpace}
	if h.Workspaces != nil {
		p.Workspaces = h.Workspaces(user)
	}
	limited, cancel := context.WithTimeout(ctx, h.measureWait)
	defer cancel()
	result, err := h.run(limited, user, 0, p)
	if err != nil || result.Space == nil {
		if err != nil && ctx.Err() == nil {
			h.Report(fmt.Errorf("measure the file history of %s: %w", user, err))
		}
		return w.after(now, w.last, laterInterval)
	}
	if err := h.tellNoRepository(ctx, user, result.Space.NoRepository); err != nil && ctx.Err() == nil {
		h.Report(fmt.Errorf("tell %s about workspaces without a repository: %w", user, err))
	}
	result.Space.NoRepository = nil
	if result.Space.Off != "" { // that may be a passing fault, which tells nothing about the baseline
		h.recordOrReport(ctx, user, supervisor.FileHistorySize{HistorySpace: *result.Space, At: now})
		return w.after(now, w.last, laterInterval)
	}
	settled := w.isSettled(*result.Space)
	h.recordOrReport(ctx, user, supervisor.FileHistorySize{HistorySpace: *result.Space, At: now, Whole: settled})
	if settled {
		return w.after(now, result.Space, laterInterval)
	}
	return w.after(now, result.Space, max(firstInterval, 2*w.interval))
}

func (h *FileHistory) recordOrReport(ctx context.Context, user string, m supervisor.FileHistorySize) {
	if err := h.record(ctx, user, m); err != nil && ctx.Err() == nil {
		h.Report(fmt.Errorf("record the size of the file history of %s: %w", user, err))
	}
}

// tellNoRepository tells a user once about each workspace that is no git repository. Nothing keeps
// earlier versions of its files. The notice waits until the user's programs may have changed the
// workspace.
func (h *FileHistory) tellNoRepository(ctx context.Context, user string, workspaces []string) error {
	if len(workspaces) == 0 {
		return nil
	}
	ran, err := h.Effects.List(ctx, supervisor.EffectQuery{User: user, Kinds: []string{kindRun}, Limit: 1})
	if err != nil || len(ran) == 0 {
		return err
	}
	for _, folder := range workspaces {
		h.TellOnce(ctx, user, noticeNoRepository+folder, fmt.Sprintf(textNoRepository, markdown.EscapeName(folder)))
	}
	return nil
}

// record stores a measurement. Names of files are not stored.
func (h *FileHistory) record(ctx context.Context, user string, m supervisor.FileHistorySize) error {
	before, _, err := FindSize(ctx, h.Settings, user)
	if err != nil {
		return err
	}
	if m.Whole && !before.Whole && m.Left.Count > 0 {
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
