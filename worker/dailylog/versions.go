package dailylog

import (
	"context"
	"path"
	"strings"

	"mews/protocol"
)

// Versions are the earlier versions of the home's files.
type Versions interface {
	PathsBelow(folder string) ([]string, error)
	EachVersion(ctx context.Context, path string, visit func(text []byte) error) error
	// ForgetTraces deletes all versions of paths except the present ones.
	ForgetTraces(ctx context.Context, paths, phrases []string, turns []int64) (int64, error)
}

// forgetVersions deletes the earlier versions of the logs that have had exchanges of some turns.
func (l *Log) forgetVersions(ctx context.Context, of protocol.TurnDataQuery) error {
	if l.Versions == nil {
		return nil
	}
	paths, err := l.Versions.PathsBelow(LogsFolder)
	if err != nil {
		return err
	}
	var had []string
	for _, name := range paths {
		if day := strings.TrimSuffix(path.Base(name), ".md"); day < of.From || day > of.To {
			continue
		}
		found := false
		err := l.Versions.EachVersion(ctx, name, func(text []byte) error {
			_, cut := without(string(text), of.Turns)
			found = found || cut > 0
			return nil
		})
		if err != nil {
			return err
		}
		if found {
			had = append(had, name)
		}
	}
	_, err = l.Versions.ForgetTraces(ctx, had, nil, of.Turns)
	return err
}
