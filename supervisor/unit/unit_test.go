package unit

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestFindService_StateFolder_FindsUnit(t *testing.T) {
	root := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("etc/systemd/system/other.service", "[Service]\nExecStart=/usr/bin/other run\nStateDirectory=mews\n")
	write("etc/systemd/system/house.service", "[Unit]\nA=b\n[Service]\n# ExecStart=no\nExecStart=/opt/spawner -- \\\n  /opt/mews run\nStateDirectory=mews\n")
	write("etc/systemd/system/house.service.d/more.conf", "[Service]\nReadWritePaths=/srv/mews /srv/kept\n")
	if s, ok := find(root, "/var/lib/mews"); ok {
		t.Errorf("without systemd there is the unit %v", s)
	}
	write("run/systemd/system/x", "")
	for _, state := range []string{"/var/lib/mews", "/srv/kept"} {
		s, ok := find(root, state)
		if !ok || s.Name != "house" || !slices.Equal(s.SettingValues("ReadWritePaths"),
			[]string{"/srv/mews /srv/kept"}) {
			t.Errorf("of %s: %+v, %v", state, s, ok)
		}
	}
	if s, ok := find(root, "/home/ann/.local/state/mews"); ok {
		t.Errorf("a person's own Mews is the unit %v", s)
	}
}
