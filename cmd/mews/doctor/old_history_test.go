package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mews/config"
)

func TestUnusedHistories_OldFolders_AreNamed(t *testing.T) {
	cfg := &config.Config{State: t.TempDir()}
	homes, other := filepath.Join(cfg.State, "homes"), filepath.Join(cfg.State, "other")
	paths := func(folder string, names ...string) (list []string) {
		for _, name := range names {
			list = append(list, filepath.Join(folder, name+".history"))
		}
		return list
	}
	for _, path := range slices.Concat(paths(homes, "ann", "gone"), paths(other, "ann"),
		[]string{filepath.Join(homes, "ann")}) {
		if err := os.MkdirAll(path, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		room  config.Size
		dir   string
		users []string
		want  []string
	}{
		{2 * config.GiB, "", []string{"ann"}, paths(homes, "gone")},
		{2 * config.GiB, "", nil, nil},
		{2 * config.GiB, "", []string{}, paths(homes, "ann", "gone")},
		{0, "", []string{"ann"}, paths(homes, "ann", "gone")},
		{2 * config.GiB, other, []string{"ann"}, paths(homes, "ann", "gone")},
		{2 * config.GiB, other, nil, paths(homes, "ann", "gone")},
		{0, other, nil, slices.Concat(paths(other, "ann"), paths(homes, "ann", "gone"))},
	} {
		cfg.Worker.History, cfg.Worker.HistoryDir = c.room, c.dir
		if got := unusedHistories(Options{Config: cfg}, c.users); !slices.Equal(got, c.want) {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	text, err := examineHistories(t.Context(), Options{Config: cfg})
	all := slices.Concat(paths(other, "ann"), paths(homes, "ann", "gone"))
	want := fmt.Sprintf(textVersionsUnused, strings.Join(all, ", "))
	if err != nil || !strings.HasSuffix(text, "\n"+want) {
		t.Errorf("got %q, %v", text, err)
	}
}
