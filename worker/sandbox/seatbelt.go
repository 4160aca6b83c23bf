package sandbox

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Seatbelt is what macOS has of walls: sandbox-exec(1) runs a program behind a profile in its own language. It keeps files
// and the network, and no more: processes see one another, and limits are those of setrlimit alone. It is for people who
// work on Mews; it has been written from what others ship and has not been run.

// ofSystem are the folders that programs need of macOS, for reading; none holds a person's files.
var ofSystem = []string{
	"/bin", "/sbin", "/usr", "/System", "/Library/Apple", "/Library/Developer/CommandLineTools", "/Library/Frameworks",
	"/opt/homebrew", "/private/etc/ssl", "/private/var/db/dyld", "/private/var/db/timezone",
}

// singly are files and folders that are read by themselves, without what lies beneath.
var singly = []string{
	"/", "/etc", "/tmp", "/var", "/private", "/private/etc", "/private/etc/passwd", "/private/etc/group", "/private/etc/localtime",
	"/dev/autofs_nowait", "/dev/random", "/dev/urandom",
}

// terminals are written to as well.
var terminals = []string{"/dev/null", "/dev/zero", "/dev/tty", "/dev/ptmx"}

// ownTerminals are those that were made behind the profile: the kernel marks them.
const ownTerminals = `(allow file-read* file-write* file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))
`

// lookups are what a program looks up to learn who it is and to log.
var lookups = []string{
	"com.apple.system.logger", "com.apple.system.notification_center", "com.apple.system.opendirectoryd.libinfo",
	"com.apple.system.opendirectoryd.membership",
}

// seatbelt is a plan's profile, in the language of sandbox-exec(1). What it does not allow is denied.
func seatbelt(p Plan) string {
	var s strings.Builder
	s.WriteString("(version 1)\n(deny default)\n")
	s.WriteString("(allow process-exec)\n")
	if p.Profile != ProfileReview {
		s.WriteString("(allow process-fork)\n")
	}
	s.WriteString("(allow signal (target same-sandbox))\n(allow process-info* (target same-sandbox))\n(allow sysctl-read)\n")
	s.WriteString("(allow ipc-posix-sem)\n(allow pseudo-tty)\n")
	permit(&s, "mach-lookup", "global-name", lookups)
	permit(&s, "file-read*", "literal", singly)
	permit(&s, "file-read*", "subpath", ofSystem)
	permit(&s, "file-read* file-write* file-ioctl", "literal", terminals)
	s.WriteString(ownTerminals)
	permit(&s, "file-read-metadata", "literal", wayTo(p))
	permit(&s, "file-read*", "literal", []string{canonical(p.Worker)})
	permit(&s, "file-read*", "subpath", granted(p, false))
	permit(&s, "file-read* file-write*", "subpath", granted(p, true))
	return s.String()
}

// permit writes a rule about paths or names; about none there is no rule, because one without filters is about all.
func permit(s *strings.Builder, what, filter string, list []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(s, "(allow %s", what)
	for _, name := range list {
		fmt.Fprintf(s, "\n  (%s %s)", filter, quoted(name))
	}
	s.WriteString(")\n")
}

// quoted is a string of the profile's language, in which a backslash takes the meaning from what follows it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// granted are the folders that a plan names, for reading or for writing too.
func granted(p Plan, writable bool) []string {
	var list []string
	if writable {
		list = append(list, canonical(p.Home.path()))
	}
	for _, b := range p.Binds {
		if b.Writable == writable {
			list = append(list, canonical(b.path()))
		}
	}
	return list
}

// wayTo are the folders on the way to what is granted, which programs look at to find out where they are.
func wayTo(p Plan) []string {
	var list []string
	for _, path := range slices.Concat([]string{canonical(p.Worker)}, granted(p, false), granted(p, true)) {
		for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			list = append(list, dir)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// canonical is a path as rules name it: of macOS's own links, which everybody has, none is left.
func canonical(path string) string {
	path = filepath.Clean(path)
	for _, link := range []string{"/tmp", "/var", "/etc"} {
		if path == link || strings.HasPrefix(path, link+"/") {
			return "/private" + path
		}
	}
	return path
}
