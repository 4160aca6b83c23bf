// Package logging makes the log of the program: as JSON, or as lines for people.
package logging

import (
	"io"
	"time"

	"github.com/hashicorp/go-hclog"
)

// New makes a log of messages of a level, such as "info", and of higher levels.
func New(level string, json bool, w io.Writer) hclog.Logger {
	return readableLog{hclog.New(&hclog.LoggerOptions{
		Name:       "mews",
		Level:      hclog.LevelFromString(level),
		Output:     w,
		JSONFormat: json,
	})}
}

// Discard returns a log without output, for commands that print everything themselves.
func Discard() hclog.Logger { return hclog.NewNullLogger() }

// readableLog writes durations as 1m30s. hclog alone would write them to JSON as nanoseconds.
type readableLog struct{ hclog.Logger }

func (l readableLog) Log(level hclog.Level, what string, args ...any) {
	l.Logger.Log(level, what, readable(args)...)
}
func (l readableLog) Trace(what string, args ...any) { l.Log(hclog.Trace, what, args...) }
func (l readableLog) Debug(what string, args ...any) { l.Log(hclog.Debug, what, args...) }
func (l readableLog) Info(what string, args ...any)  { l.Log(hclog.Info, what, args...) }
func (l readableLog) Warn(what string, args ...any)  { l.Log(hclog.Warn, what, args...) }
func (l readableLog) Error(what string, args ...any) { l.Log(hclog.Error, what, args...) }

func (l readableLog) With(args ...any) hclog.Logger {
	return readableLog{l.Logger.With(readable(args)...)}
}
func (l readableLog) Named(name string) hclog.Logger { return readableLog{l.Logger.Named(name)} }
func (l readableLog) ResetNamed(name string) hclog.Logger {
	return readableLog{l.Logger.ResetNamed(name)}
}

func readable(args []any) []any {
	list := make([]any, len(args))
	for i, arg := range args {
		if d, ok := arg.(time.Duration); ok {
			arg = d.String()
		}
		list[i] = arg
	}
	return list
}
