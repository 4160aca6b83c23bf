package pool

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// hello is the smallest worker in Go: it writes one line, and waits for the end of its input.
const hello = `package main

import "os"

func main() {
	os.Stdout.WriteString("hello\n")
	os.Stdin.Read(make([]byte, 1))
}
`

// BenchmarkSpawnToFirstLine measures the time from the request of a process to its first line, for
// a minimal static Go program. It alternates between a direct start and the spawner, in each tier,
// and with a supervisor that holds much memory. x-floor is the time in multiples of a direct start.
// KB-spawner is the spawner's resident memory afterwards.
func BenchmarkSpawnToFirstLine(b *testing.B) {
	for _, c := range []struct {
		tier string
		heap int
	}{{"off", 0}, {"landlock", 0}, {"accounts", 0}, {"namespaces", 0}, {"namespaces", 500 << 20}} {
		b.Run(fmt.Sprintf("%s/heap=%dMiB", c.tier, c.heap>>20), func(b *testing.B) { benchmarkSpawn(b, c.tier, c.heap) })
	}
}

func benchmarkSpawn(b *testing.B, tier string, heap int) {
	if tier == "accounts" && os.Getuid() != 0 {
		b.Skip("only root may give workers another account")
	}
	dir := b.TempDir()
	program := buildHello(b, dir)
	home := filepath.Join(dir, "home")
	if err := makeHome(home); err != nil {
		b.Fatal(err)
	}
	ballast := bytes.Repeat([]byte{1}, heap)
	o := spawnerOptions(spawnerPath, program)
	o.Tier = tier
	s, err := StartSpawner(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	heard := make(chan error, 1)
	current := s.current
	go func() { heard <- current.listen() }()
	var floor, spawned time.Duration
	for b.Loop() {
		floor += startDirectly(b, program)
		spawned += startThroughSpawner(b, s, dir)
	}
	runtime.KeepAlive(ballast)
	resident := residentKB(b, s.PID())
	if err := s.Close(); err != nil {
		b.Error(err)
	}
	<-heard
	b.ReportMetric(resident, "KB-spawner")
	b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
	b.ReportMetric(float64(spawned.Microseconds())/float64(b.N), "spawner-µs/op")
	b.ReportMetric(float64(spawned)/float64(floor), "x-floor")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkEcho measures a call of a sandboxed worker with its answer, through a lease. x-off is
// the time in multiples of a call without a sandbox. Calls with and without a sandbox alternate.
func BenchmarkEcho(b *testing.B) {
	walled, open := echoing(b, "namespaces"), echoing(b, "off")
	var within, without time.Duration
	for b.Loop() {
		within += timeEcho(b, walled)
		without += timeEcho(b, open)
	}
	b.ReportMetric(float64(within.Nanoseconds())/float64(b.N)/1000, "walled-µs/op")
	b.ReportMetric(float64(within)/float64(without), "x-off")
	b.ReportMetric(0, "ns/op")
}

func timeEcho(b *testing.B, w *Worker[*testHost]) time.Duration {
	began := time.Now()
	if err := w.Call(b.Context(), "echo", protocol.CancelParams{ID: 1}, nil); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

// echoing returns a worker in a sandbox of a tier. The worker repeats words, and ends with the
// benchmark.
func echoing(b *testing.B, tier string) *Worker[*testHost] {
	o := spawnerOptions(spawnerPath, workerPath)
	o.Tier = tier
	s, err := StartSpawner(context.Background(), o)
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	if err := makeHome(filepath.Join(root, "good")); err != nil {
		b.Fatal(err)
	}
	p := New(options(s, Timings{}))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	w, err := p.Acquire(ctx, specOf(root, "good"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Release)
	return w
}

// residentKB returns a process's resident memory. The second field of /proc/PID/statm has it in
// pages.
func residentKB(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		b.Fatal(err)
	}
	return float64(pages * os.Getpagesize() >> 10)
}

func buildHello(b *testing.B, dir string) string {
	source, program := filepath.Join(dir, "hello.go"), filepath.Join(dir, "hello")
	if err := os.WriteFile(source, []byte(hello), 0o600); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}

func startDirectly(b *testing.B, program string) time.Duration {
	cmd := exec.Command(program)
	cmd.Env = []string{"PATH=/usr/bin"}
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	if err := in.Close(); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return took
}

func startThroughSpawner(b *testing.B, s *Spawner, root string) time.Duration {
	began := time.Now()
	c, err := s.spawn(b.Context(), spawnwire.SpawnRequest{Root: root, Path: "home",
		Profile: profiles[ProfileUser].sandbox}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := bufio.NewReader(c.socket).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	took := time.Since(began)
	if err := c.close(); err != nil {
		b.Fatal(err)
	}
	<-c.exited
	return took
}
