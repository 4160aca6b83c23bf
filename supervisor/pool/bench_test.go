package pool

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"

	"mews/protocol"
	"mews/protocol/spawnwire"
)

// hello is the smallest Go worker: it says one line and waits for the end.
const hello = `package main

import "os"

func main() {
	os.Stdout.WriteString("hello\n")
	os.Stdin.Read(make([]byte, 1))
}
`

// BenchmarkSpawnToFirstLine measures from the wish for a process to its first line, for a static Go program that does
// nothing else: started directly, which is the floor, and through the spawner, in turns. x-floor is the ratio; KB-spawner
// is the spawner's resident memory after that.
func BenchmarkSpawnToFirstLine(b *testing.B) {
	dir := b.TempDir()
	program := buildHello(b, dir)
	s, err := StartSpawner(context.Background(), spawnerPath, program, hclog.NewNullLogger())
	if err != nil {
		b.Fatal(err)
	}
	heard := make(chan error, 1)
	r := s.present()
	go func() { heard <- r.listen() }()
	var floor, spawned time.Duration
	for b.Loop() {
		floor += startDirectly(b, program)
		spawned += startThroughSpawner(b, s, dir)
	}
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

// BenchmarkEcho is a call to a worker and its answer, through a lease.
func BenchmarkEcho(b *testing.B) {
	s, err := StartSpawner(context.Background(), spawnerPath, workerPath, hclog.NewNullLogger())
	if err != nil {
		b.Fatal(err)
	}
	root := b.TempDir()
	if err := os.Mkdir(filepath.Join(root, "good"), 0o700); err != nil {
		b.Fatal(err)
	}
	p := New(options(s, root, Timings{}))
	ctx := b.Context()
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	w, err := p.Acquire(ctx, "good")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := w.Call(ctx, "echo", protocol.Cancel{ID: 1}, nil); err != nil {
			b.Fatal(err)
		}
	}
	w.Kill(errShutdown)
	<-w.Died()
	b.Cleanup(func() { // ctx has ended
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
}

// residentKB is the resident memory of a process, from the second field of /proc/PID/statm, in pages.
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
	c, err := s.spawn(b.Context(), spawnwire.Spawn{Root: root, Path: ".", Profile: profileWorker})
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
