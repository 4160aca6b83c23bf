package main_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mews/supervisor/app/apptest"
	"mews/supervisor/model/modeltest"
)

// Size of the home that the benchmarks back up. A whole GiB takes more than a minute a run.
const (
	backupFiles = 10_000
	backupBytes = 256 << 20
)

// fillHome fills a home with files, half of whose bytes can be compressed.
func fillHome(b *testing.B, home string) {
	b.Helper()
	random := rand.NewChaCha8([32]byte{1})
	content := make([]byte, backupBytes/backupFiles)
	for i := range backupFiles {
		_, _ = random.Read(content[:len(content)/2]) // it never fails
		path := filepath.Join(home, fmt.Sprint("folder", i/100), fmt.Sprint("file", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	apptest.ChownToWorkers(b, home)
}

// newBackupService makes a service whose user alice has a large home.
func newBackupService(b *testing.B, script modeltest.Script) *apptest.Service {
	b.Helper()
	_, url := modeltest.NewServer(b, script)
	h := apptest.NewService(b, url, "alice", "bob")
	fillHome(b, h.UserHome("alice"))
	h.Start()
	return h
}

// backUp runs `mews backup` after a change of alice's home, so that the home is read again.
func backUp(b *testing.B, h *apptest.Service) {
	b.Helper()
	if err := os.Chtimes(filepath.Join(h.UserHome("alice"), "folder0", "file0"), time.Time{}, time.Now()); err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(h.Bin, "mews"), "backup", "--config", h.Config)
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
}

// BenchmarkBackup compares a backup of a large home with `tar --zstd` of the same home, at the same
// priority.
func BenchmarkBackup(b *testing.B) {
	if _, err := exec.LookPath("zstd"); err != nil {
		b.Skip(err)
	}
	h := newBackupService(b, modeltest.EchoScript)
	defer h.Stop()
	archive := filepath.Join(b.TempDir(), "home.tar.zst")
	var ours, theirs samples
	for b.Loop() {
		began := time.Now()
		backUp(b, h)
		ours = append(ours, time.Since(began))
		began = time.Now()
		if out, err := exec.Command("nice", "-n", "19", "ionice", "-c", "3", "tar", "--zstd", "-cf", archive,
			h.UserHome("alice")).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		theirs = append(theirs, time.Since(began))
	}
	b.ReportMetric(float64(ours.median())/float64(theirs.median()), "x_tar")
	ours.report(b, time.Millisecond, "ms-backup")
	theirs.report(b, time.Millisecond, "ms-tar")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkNeighbour_Backup compares bob's turns with and without a backup of alice's large home.
// Only turns that end before the backup count.
func BenchmarkNeighbour_Backup(b *testing.B) {
	h := newBackupService(b, modeltest.SlowScript(answerSentence, 10, 15*time.Millisecond))
	defer h.Stop()
	bob := newClient(b, h, "bob")
	var alone, beside []time.Duration
	for b.Loop() {
		alone = append(alone, bob.timeTurns(b)...)
		bob.exchange(b, "/new")
		done := make(chan struct{})
		go func() { defer close(done); backUp(b, h) }() // the loop below waits for its end
		for over := false; !over; {
			said := time.Now()
			took := bob.exchange(b, "hi").Sub(said)
			select {
			case <-done:
				over = true
			default:
				beside = append(beside, took)
			}
		}
	}
	bob.stop()
	if len(beside) == 0 {
		b.Fatal("the backup was faster than a turn")
	}
	b.ReportMetric(float64(median(beside))/float64(median(alone)), "x_alone")
	b.ReportMetric(float64(median(beside).Microseconds()), "µs-beside")
	b.ReportMetric(0, "ns/op")
}

// listen lets a service answer programs of this machine, and returns the address.
func listen(b *testing.B, h *apptest.Service) (address string) {
	b.Helper()
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address = port.Addr().String()
	if err := port.Close(); err != nil {
		b.Fatal(err)
	}
	text, err := os.ReadFile(h.Config)
	if err == nil {
		err = os.WriteFile(h.Config, []byte(strings.Replace(string(text), `listen: ""`, "listen: "+address, 1)), 0o600)
	}
	if err != nil {
		b.Fatal(err)
	}
	return address
}

// BenchmarkMetrics measures /metrics of a service with 50 people, all of whom have a worker.
func BenchmarkMetrics(b *testing.B) {
	const people = 50
	m := newTelegramService(b, people, fastRate)
	address := listen(b, m.Service)
	m.Start()
	defer m.Stop()
	m.warm(people)
	var took samples
	for b.Loop() {
		began := time.Now()
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			b.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close() // it was only read
		if err != nil || !strings.Contains(string(text), "mews_ready") {
			b.Fatalf("%v: %s", err, text)
		}
		took = append(took, time.Since(began))
	}
	took.report(b, time.Microsecond, "µs-metrics-50-people")
	b.ReportMetric(0, "ns/op")
}

// upkeepConfig turns on all that a service does to look after itself.
const upkeepConfig = "backup: {}\nupdate: {feed: /nowhere, daily: true}\n" +
	"alarms: {url: 'http://127.0.0.1:9/x', heartbeat: 'http://127.0.0.1:9/y'}\n"

// BenchmarkUpkeepMemory compares the private memory of an idle service that looks after itself with
// that of one that does not.
func BenchmarkUpkeepMemory(b *testing.B) {
	measure := func(upkeep bool) float64 {
		m := newTelegramService(b, 2, fastRate)
		if upkeep {
			m.AppendConfig(upkeepConfig)
			listen(b, m.Service)
		}
		m.Start()
		defer m.Stop()
		supervisor, spawner := idle(b, m.Service, m.server)
		return privateMemory(b, supervisor) + privateMemory(b, spawner)
	}
	for b.Loop() {
		without := measure(false)
		b.ReportMetric(measure(true)-without, "KB-more")
		b.ReportMetric(without, "KB-without")
	}
	b.ReportMetric(0, "ns/op")
}
