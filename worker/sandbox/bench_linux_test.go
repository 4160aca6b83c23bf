package sandbox

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"
)

// hello is the smallest worker: it writes a line and waits for the end of its standard input.
const hello = `package main

import (
	"io"
	"os"
)

func main() {
	os.Stdout.WriteString("hello\n")
	io.Copy(io.Discard, os.Stdin)
}
`

// spawner is a program for stage one that is as small as mews-spawner; the test binary is larger.
const spawner = `package main

import (
	"fmt"
	"os"

	"mews/worker/sandbox"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == sandbox.StageOneArgument {
		fmt.Fprintln(os.Stderr, sandbox.StageOne())
		os.Exit(1)
	}
}
`

// build builds a program as for a release.
func build(b *testing.B, source string) string {
	b.Helper()
	dir, err := os.MkdirTemp(".", "testdata-bench-") // within the module, because the program imports its packages
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644); err != nil {
		b.Fatal(err)
	}
	program := filepath.Join(homeOf(b, os.Getuid()), "program")
	if err := os.Chmod(filepath.Dir(program), 0o755); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./"+filepath.Base(dir))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

// starter starts a program with these descriptors and returns its pid.
type starter func(in, out *os.File) (int, error)

// measureStart measures the time from a start to the first line.
func measureStart(b *testing.B, start starter) time.Duration {
	b.Helper()
	in, end, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	hear, say, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	pid, err := start(in, say)
	if err != nil {
		b.Fatal(err)
	}
	line, err := bufio.NewReader(hear).ReadString('\n')
	took := time.Since(began)
	if err != nil || line != "hello\n" {
		b.Fatalf("it said %q, %v", line, err)
	}
	for _, f := range []*os.File{in, end, hear, say} {
		_ = f.Close()
	}
	if err := waitExit(pid); err != nil {
		b.Fatal(err)
	}
	return took
}

// BenchmarkSpawn measures the time from a start to the worker's first line, in each tier. It also
// compares the median with the median of a static hello in Go, measured alternately.
func BenchmarkSpawn(b *testing.B) {
	program, stage := build(b, hello), build(b, spawner)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	plain := func(in, out *os.File) (int, error) {
		return syscall.ForkExec(program, []string{"hello"}, &syscall.ProcAttr{Files: []uintptr{in.Fd(), out.Fd(), 2}})
	}
	for _, tier := range append([]Tier{TierOff}, buildableTiers(b)...) {
		b.Run(string(tier), func(b *testing.B) {
			r := newTestSandbox(b, tier)
			r.program = program
			r.self = stage
			var floor, ours []time.Duration
			for range 5 {
				measureStart(b, plain)
			}
			for b.Loop() {
				floor = append(floor, measureStart(b, plain))
				ours = append(ours, measureStart(b, r.start))
			}
			b.ReportMetric(float64(median(ours).Microseconds()), "us/spawn")
			b.ReportMetric(float64(median(floor).Microseconds()), "us/hello")
			b.ReportMetric(float64(median(ours))/float64(median(floor)), "x_hello")
		})
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// BenchmarkFilter assembles a filter.
func BenchmarkFilter(b *testing.B) {
	for b.Loop() {
		if len(filter(ProfileWorker, TierNamespaces)) == 0 {
			b.Fatal("no filter")
		}
	}
}

// BenchmarkToolChild starts and ends a program behind the second layer. over-plain-µs is the
// difference between its median and the median of a plain start, measured alternately.
func BenchmarkToolChild(b *testing.B) {
	for _, tier := range []Tier{TierNamespaces, TierLandlock} {
		b.Run(string(tier), func(b *testing.B) {
			in := NewToolStarter(tier, nil)
			// these paths exist inside a worker; the folders are not changed
			for _, dir := range []string{InnerHomePath, InnerWorkspacesPath} {
				if err := os.Mkdir(dir, 0o755); err == nil {
					b.Cleanup(func() { _ = os.Remove(dir) })
				} else if !os.IsExist(err) {
					b.Skip(err)
				}
			}
			var walled, plain []time.Duration
			for b.Loop() {
				walled = append(walled, timeChild(b, in.Start))
				plain = append(plain, timeChild(b, (*exec.Cmd).Start))
			}
			b.ReportMetric(float64((median(walled) - median(plain)).Microseconds()), "over-plain-µs")
			b.ReportMetric(float64(median(plain).Microseconds()), "plain-µs")
			b.ReportMetric(0, "ns/op")
		})
	}
}

func timeChild(b *testing.B, start func(*exec.Cmd) error) time.Duration {
	b.Helper()
	cmd := exec.Command("/bin/true")
	began := time.Now()
	if err := start(cmd); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}
