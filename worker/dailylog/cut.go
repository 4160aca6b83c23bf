package dailylog

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mews/protocol"
	"mews/worker/workspace"
)

// maxLog is the greatest size, in bytes, of a log that is searched for exchanges to delete.
const maxLog = 64 << 20

// heading matches the line that begins an exchange. The exchange ends before the next heading.
// Lines that the user wrote below an exchange belong to it.
var heading = regexp.MustCompile(`(?m)^## .*<!-- turn (\d+) -->$`)

// ForgetTurns counts the exchanges of some turns in the logs of some days. If gone is set, it also
// deletes these exchanges, and earlier versions of logs that have them. A second call changes
// nothing more.
func (l *Log) ForgetTurns(ctx context.Context, of protocol.TurnDataQuery, gone bool) (n int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	err = l.Files.Walk(ctx, LogsFolder, func(e workspace.Entry) error {
		day := strings.TrimSuffix(path.Base(e.Path), ".md")
		if path.Dir(e.Path) == LogsFolder && day >= of.From && day <= of.To {
			names = append(names, e.Path)
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	for _, name := range names {
		state, text, _ := l.Files.PeekFile(name, maxLog)
		if !state.IsHash() || len(text) >= maxLog {
			return n, errors.Join(err, fmt.Errorf("%s is no file, or too large", name))
		}
		left, cut := without(string(text), of.Turns)
		if n += cut; gone && cut > 0 && err == nil {
			_, err = l.Files.WriteFile(name, []byte(left), workspace.ModeReplace)
		}
	}
	if err == nil && gone {
		err = l.forgetVersions(ctx, of)
	}
	return n, err
}

// without returns a log without the exchanges of these turns, and the number of exchanges removed.
func without(text string, turns []int64) (left string, cut int) {
	at := heading.FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return text, 0
	}
	left = text[:at[0][0]]
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		// ParseInt returns 0 if the number is too large
		if turn, _ := strconv.ParseInt(text[m[2]:m[3]], 10, 64); slices.Contains(turns, turn) {
			cut++
			continue
		}
		left += text[m[0]:end]
	}
	return left, cut
}
