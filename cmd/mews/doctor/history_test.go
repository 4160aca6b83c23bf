package doctor

import (
	"slices"
	"strings"
	"testing"

	"mews/config"
	"mews/protocol"
	"mews/supervisor"
	"mews/supervisor/api"
)

func TestExamineHistory_StoppedService_NamesFolder(t *testing.T) {
	cfg := &config.Config{State: t.TempDir()}
	text, err := examineHistory(t.Context(), Options{Config: cfg})
	if err != nil || text != textVersionsOff {
		t.Errorf("off: %q, %v", text, err)
	}
	cfg.Worker.History = 2 * config.GiB
	if text, err = examineHistory(t.Context(), Options{Config: cfg}); err != nil ||
		!strings.Contains(text, "2 GiB") || !strings.Contains(text, cfg.State) {
		t.Errorf("on: %q, %v", text, err)
	}
	cfg.Worker.HistoryDir = "/srv/histories"
	if text, _ = examineHistory(t.Context(), Options{Config: cfg}); !strings.Contains(text, "/srv/histories") {
		t.Errorf("elsewhere: %q", text)
	}
	cfg.Worker.Sandbox = "off"
	if text, err = examineHistory(t.Context(), Options{Config: cfg}); err != nil || text != textVersionsNoSandbox {
		t.Errorf("without walls: %q, %v", text, err)
	}
}

func TestVersionLines_KnownSizes_AreListed(t *testing.T) {
	size := &supervisor.FileHistorySize{HistorySpace: protocol.HistorySpace{Bytes: 1 << 20, Room: 2 << 30, Files: 3}}
	off := &supervisor.FileHistorySize{HistorySpace: protocol.HistorySpace{Off: "no room"}}
	got := versionLines(api.Status{Users: []api.UserStatus{{Name: "ann", FileHistory: size}, {Name: "bob"},
		{Name: "cleo", FileHistory: off}}})
	want := []string{"ann: " + api.FileHistoryText(*size), "cleo: " + api.FileHistoryText(*off)}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
