package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"golang.org/x/sys/unix"
)

const (
	leanFirst = time.Second // after the start, when what it took has been done
	leanEvery = time.Hour
)

// lean has the process hold no more of its own program than it used within the last hour. The start alone runs a little
// of nearly every package, and each page that is touched maps the fifteen around it: 18 MB of the 28 that supervisor and
// spawner held idle were the program's file, of which waiting needs 1 to 3. What is let go of stays in the kernel's cache
// of files, which may take it for others when memory is short. A page that is wanted again is mapped by a minor fault, 4 µs
// for sixteen, so that the first turn afterwards may take up to a millisecond longer; that is why it is not done more often.
//
// What the start has left on the heap goes too, once: that is 0.7 MB.
func lean(log hclog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		timer := time.NewTimer(leanFirst)
		defer timer.Stop()
		for begun := false; ; begun = true {
			select {
			case <-ctx.Done():
				return nil
			case <-timer.C:
			}
			if !begun {
				debug.FreeOSMemory()
			}
			if err := letGo(); err != nil {
				log.Debug("the program's pages stay mapped", "error", err)
			}
			timer.Reset(leanEvery)
		}
	}
}

// span is a mapping of this process.
type span struct {
	from, to uintptr
	file     bool // it shows a file, and may not be written to
	resident int  // KB
	own      int  // KB that are no longer the file's, in memory or swapped out
}

// letGo unmaps the pages of files that nothing can have been written to: the program's code and constants.
func letGo() error {
	spans, err := mapped()
	if err != nil {
		return err
	}
	for _, s := range spans {
		if !s.file || s.own > 0 {
			continue
		}
		if _, _, errno := unix.Syscall(unix.SYS_MADVISE, s.from, s.to-s.from, unix.MADV_DONTNEED); errno != 0 {
			return fmt.Errorf("madvise %#x-%#x: %w", s.from, s.to, errno)
		}
	}
	return nil
}

// mapped reads the mappings of this process, as proc_pid_smaps(5) says.
func mapped() ([]span, error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var spans []span
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		switch {
		case len(words) >= 5 && strings.Contains(words[0], "-"):
			s, err := readSpan(words)
			if err != nil {
				return nil, err
			}
			spans = append(spans, s)
		case len(words) >= 2 && len(spans) > 0:
			if err := spans[len(spans)-1].read(words[0], words[1]); err != nil {
				return nil, err
			}
		}
	}
	return spans, lines.Err()
}

// readSpan reads "00400000-00e73000 r-xp 00000000 fe:00 9986699 /usr/bin/mews".
func readSpan(words []string) (s span, err error) {
	if _, err := fmt.Sscanf(words[0], "%x-%x", &s.from, &s.to); err != nil {
		return s, fmt.Errorf("/proc/self/smaps: %q: %w", words[0], err)
	}
	s.file = words[4] != "0" && (words[1] == "r-xp" || words[1] == "r--p")
	return s, nil
}

// read takes one line of what follows, if it is of use here.
func (s *span) read(name, value string) (err error) {
	into := map[string]*int{"Rss:": &s.resident, "Anonymous:": &s.own, "Swap:": &s.own}[name]
	if into == nil {
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("/proc/self/smaps: %s %q: %w", name, value, err)
	}
	*into += n
	return nil
}
