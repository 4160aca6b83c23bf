package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newRights are the new rights over files of each version (landlock(7)).
var newRights = map[int]uint64{
	1: unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_SYM,
	2: unix.LANDLOCK_ACCESS_FS_REFER,
	3: unix.LANDLOCK_ACCESS_FS_TRUNCATE,
	5: unix.LANDLOCK_ACCESS_FS_IOCTL_DEV,
}

// TestLandlock_EachVersion_HandlesItsRights: no rule asks for a right that the version does not
// know, or that only folders have. (The kernel refuses both.)
func TestLandlock_EachVersion_HandlesItsRights(t *testing.T) {
	var knows uint64
	for version := 1; version <= 9; version++ {
		knows |= newRights[version]
		attr := rulesetAttr(version)
		if attr.Handled_access_fs != knows {
			t.Errorf("version %d handles %#x, want %#x", version, attr.Handled_access_fs, knows)
		}
		if (attr.Handled_access_net != 0) != (version >= 4) || (attr.Scoped != 0) != (version >= 6) {
			t.Errorf("version %d: network %#x, scope %#x", version, attr.Handled_access_net, attr.Scoped)
		}
		for _, r := range []rule{{rights: rightsRead}, {rights: rightsWrite}, {rights: rightsDevice}} {
			if of := r.rightsOf(unix.S_IFDIR, knows); of&^knows != 0 || of == 0 {
				t.Errorf("version %d: a rule for a folder has %#x", version, of)
			}
			for _, mode := range []uint32{unix.S_IFREG, unix.S_IFCHR, unix.S_IFSOCK} {
				if of := r.rightsOf(mode, knows); of&^(knows&rightsOfFile) != 0 {
					t.Errorf("version %d: a rule for a file has %#x", version, of)
				}
			}
		}
	}
	if (rightsRead|rightsWrite|rightsDevice)&(unix.LANDLOCK_ACCESS_FS_MAKE_CHAR|unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK) != 0 {
		t.Error("somebody may make devices")
	}
}

// TestLandlock_MissingFolder_Fails: a rule for a missing path fails unless it is optional.
func TestLandlock_MissingFolder_Fails(t *testing.T) {
	dir := t.TempDir()
	set, err := emptyRuleset()
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(set)
	gone := filepath.Join(dir, "gone")
	if err := addRule(set, rule{path: gone, rights: rightsRead, optional: true}, versionRights[1]); err != nil {
		t.Errorf("optional: %v", err)
	}
	if err := addRule(set, rule{path: gone, rights: rightsRead}, versionRights[1]); err == nil {
		t.Error("it is not missed")
	}
}

func emptyRuleset() (int, error) {
	return createRuleset(unix.LandlockRulesetAttr{Handled_access_fs: versionRights[1]})
}

// TestLandlock_WithoutMounts_ReachesOwnFolders: a worker without its own mounts reaches only the
// folders of its rules.
func TestLandlock_WithoutMounts_ReachesOwnFolders(t *testing.T) {
	r := newTestSandbox(t, TierLandlock)
	// Any account may read and write here, so only Landlock protects it.
	outside := filepath.Join(r.base, "outside")
	r.must(os.Mkdir(outside, 0o777))
	r.must(os.Chmod(outside, 0o777))
	r.must(os.WriteFile(outside+"/secret", []byte("secret\n"), 0o666))
	r.must(os.Chmod(outside+"/secret", 0o666))
	for what, script := range map[string]string{
		"read":                "cat $OUT/secret",
		"list":                "ls $OUT",
		"write":               "echo x >> $OUT/secret",
		"create":              "echo x > $OUT/new",
		"remove":              "rm -f $OUT/secret",
		"truncate":            ": > $OUT/secret",
		"rename":              "mv $OUT/secret stolen",
		"link":                "ln $OUT/secret stolen",
		"follow":              "ln -s $OUT/secret link && cat link",
		"go up":               "ls ..",
		"the host's /tmp":     "ls /tmp",
		"write the host's":    "echo x > /tmp/mews-landlock",
		"a shadow":            "cat /etc/shadow",
		"a device":            "cat /dev/kmsg",
		"list /etc":           "ls /etc",
		"another's variables": "cat /proc/1/environ",
		"another's root":      "ls /proc/" + parent() + "/root/",
		"write /usr":          "echo x > /usr/mews-landlock",
	} {
		if said, err := r.run("OUT=" + outside + "\n" + script + "\n"); err == nil {
			t.Errorf("%s: it is not refused: %s", what, said)
		}
	}
	code := filepath.Join(r.base, "code")
	r.mustPrint("echo x > here && mkdir d && mv here d/there && echo x > " + code + "/here && echo x > $TMPDIR/here && ln -s d e")
	if _, err := os.Stat(code + "/here"); err != nil {
		t.Error(err)
	}
	if secret, err := os.ReadFile(outside + "/secret"); err != nil || string(secret) != "secret\n" {
		t.Errorf("the secret is %q, %v", secret, err)
	}
}

// TestReadOnlyWorkspace_CannotBeWritten tries to write to a read-only workspace in every tier.
func TestReadOnlyWorkspace_CannotBeWritten(t *testing.T) {
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.plan.Binds[0].Writable = false
		at := "/workspaces/code"
		if r.plan.Tier == TierLandlock {
			at = filepath.Join(r.base, "code")
		}
		r.must(os.WriteFile(filepath.Join(r.base, "code", "file"), []byte("text\n"), 0o666))
		if got := r.mustPrint("cat " + at + "/file"); got != "text" {
			t.Errorf("read %q", got)
		}
		if said, err := r.run("rm -f " + at + "/file || echo x > " + at + "/new"); err == nil {
			t.Errorf("it is written: %s", said)
		}
	})
}

// TestStart_SwappedFolder_IsRefused: a worker never gets another folder than the checked folder,
// even if its path now leads to another folder.
func TestStart_SwappedFolder_IsRefused(t *testing.T) {
	swaps := map[string]func(r *testSandbox, name string){
		"another": func(r *testSandbox, name string) { r.must(os.Mkdir(r.host(name), 0o777)) },
		"a link":  func(r *testSandbox, name string) { r.must(os.Symlink("other", r.host(name))) },
		"a link out": func(r *testSandbox, name string) {
			r.must(os.Symlink(r.host("other"), r.host(name)))
		},
		"the host's": func(r *testSandbox, name string) { r.must(os.Symlink("/", r.host(name))) },
		"a file":     func(r *testSandbox, name string) { r.must(os.WriteFile(r.host(name), nil, 0o666)) },
		"nothing":    func(*testSandbox, string) {},
	}
	for what, swap := range swaps {
		t.Run(what, func(t *testing.T) {
			inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
				r.must(os.Mkdir(r.host("other"), 0o777))
				r.must(os.Rename(r.host("code"), r.host("kept")))
				swap(r, "code")
				if said, err := r.run("echo started"); err == nil || strings.Contains(said, "started") {
					t.Errorf("it started: %s", said)
				}
			})
		})
	}
	inEach(t, buildableTiers(t), func(t *testing.T, r *testSandbox) {
		r.must(os.Rename(r.host("home"), r.host("kept")))
		r.must(os.Mkdir(r.host("home"), 0o777))
		if said, err := r.run("echo started"); err == nil || !strings.Contains(said, "another folder") {
			t.Errorf("another home: it started: %s, %v", said, err)
		}
	})
}
