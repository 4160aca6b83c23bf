package sandbox

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const belt = `(version 1)
(deny default)
(allow process-exec)
(allow process-fork)
(allow signal (target same-sandbox))
(allow process-info* (target same-sandbox))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow pseudo-tty)
(allow mach-lookup
  (global-name "com.apple.system.logger")
  (global-name "com.apple.system.notification_center")
  (global-name "com.apple.system.opendirectoryd.libinfo")
  (global-name "com.apple.system.opendirectoryd.membership"))
(allow file-read*
  (literal "/")
  (literal "/etc")
  (literal "/tmp")
  (literal "/var")
  (literal "/private")
  (literal "/private/etc")
  (literal "/private/etc/passwd")
  (literal "/private/etc/group")
  (literal "/private/etc/localtime")
  (literal "/dev/autofs_nowait")
  (literal "/dev/random")
  (literal "/dev/urandom"))
(allow file-read*
  (subpath "/bin")
  (subpath "/sbin")
  (subpath "/usr")
  (subpath "/System")
  (subpath "/Library/Apple")
  (subpath "/Library/Developer/CommandLineTools")
  (subpath "/Library/Frameworks")
  (subpath "/opt/homebrew")
  (subpath "/private/etc/ssl")
  (subpath "/private/var/db/dyld")
  (subpath "/private/var/db/timezone"))
(allow file-read* file-write* file-ioctl
  (literal "/dev/null")
  (literal "/dev/zero")
  (literal "/dev/tty")
  (literal "/dev/ptmx"))
(allow file-read* file-write* file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
(allow file-read-metadata
  (literal "/Users")
  (literal "/Users/alice")
  (literal "/Users/alice/mews")
  (literal "/Users/alice/mews/bin")
  (literal "/Users/alice/mews/homes")
  (literal "/private")
  (literal "/private/tmp")
  (literal "/srv"))
(allow file-read*
  (literal "/Users/alice/mews/bin/mews-worker"))
(allow file-read*
  (subpath "/private/tmp/models"))
(allow file-read* file-write*
  (subpath "/Users/alice/mews/homes/alice")
  (subpath "/srv/a \"quoted\\\" name"))
`

func TestSeatbelt(t *testing.T) {
	p := Plan{Tier: TierLandlock, Profile: ProfileWorker, Worker: "/Users/alice/mews/bin/mews-worker",
		Home: Bind{Root: "/Users/alice/mews/homes", Path: "alice", Writable: true},
		Binds: []Bind{{Root: "/tmp", Path: "models"},
			{Name: "code", Root: "/srv", Path: `a "quoted\" name`, Writable: true}}}
	if diff := cmp.Diff(belt, seatbelt(p)); diff != "" {
		t.Error(diff)
	}
	p.Profile, p.Binds = ProfileReview, nil
	if got := seatbelt(p); strings.Contains(got, "process-fork") || strings.Contains(got, "network") || strings.Contains(got, "models") {
		t.Errorf("a review has:\n%s", got)
	}
}

// TestSeatbeltIsClosed: no name of a folder gets out of its quotes.
func TestSeatbeltIsClosed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := seatbelt(plan().Draw(t, "plan"))
		depth, in := 0, false
		for i := 0; i < len(text); i++ {
			switch c := text[i]; {
			case in && c == '\\':
				i++
			case c == '"':
				in = !in
			case !in && c == '(':
				depth++
			case !in && c == ')':
				depth--
			}
			if depth < 0 {
				t.Fatalf("it closes what is not open:\n%s", text)
			}
		}
		if depth != 0 || in {
			t.Fatalf("it is left open:\n%s", text)
		}
	})
}

func TestCanonical(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp": "/private/tmp", "/tmp/x/": "/private/tmp/x", "/tmpx": "/tmpx", "/var/folders/a": "/private/var/folders/a",
		"/etc/../etc/hosts": "/private/etc/hosts", "/private/tmp": "/private/tmp", "/Users/a": "/Users/a",
	} {
		if got := canonical(path); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}
