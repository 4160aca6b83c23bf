package main_test

import (
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// deliveryBody returns the body of a push delivery of GitHub with about size bytes.
func deliveryBody(key string, size int) string {
	commit := fmt.Sprintf(`{"id":"%040d","message":%q,"author":{"name":"Bob","email":"bob@example.org"},"added":["a/b.go"],"removed":[],"modified":["c.go"]},`,
		1, strings.Repeat("Mend it. ", 30))
	return fmt.Sprintf(`{"ref":"refs/heads/main","after":%q,"commits":[%s{}],"repository":{"full_name":"acme/widget"},"sender":{"login":"bob"}}`,
		key, strings.Repeat(commit, size/len(commit)))
}

func postDelivery(b *testing.B, address, key, body string) {
	postUntilTaken(b, "http://"+address+"/webhook/github", body,
		map[string]string{"X-GitHub-Event": "push", "X-GitHub-Delivery": key, "X-GitHub-Hook-ID": "7"})
}

// BenchmarkDelivery measures a delivery of 20 KB until its answer, over an open connection. The
// goal is 5 ms plus the fsync. It also reports the slowest of a hundred deliveries, at a hundred a
// second.
func BenchmarkDelivery(b *testing.B) {
	h, address := newWebhookService(b, 1)
	h.Start()
	n := 0
	for b.Loop() {
		n++
		postDelivery(b, address, fmt.Sprint(n), deliveryBody(fmt.Sprint(n), 20<<10))
	}
	b.StopTimer()
	var took []float64
	var mu sync.Mutex // guards the variable took
	var all sync.WaitGroup
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for range 300 {
		<-tick.C
		n++
		key := fmt.Sprint(n)
		all.Go(func() {
			began := time.Now()
			postDelivery(b, address, key, deliveryBody(key, 20<<10))
			mu.Lock()
			defer mu.Unlock()
			took = append(took, float64(time.Since(began).Microseconds())/1000)
		})
	}
	all.Wait()
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ms-p50-at-100/s")
	b.ReportMetric(took[len(took)*99/100], "ms-p99-at-100/s")
	h.Stop()
}

// BenchmarkDeliveryMemory measures the private memory that deliveries cost the supervisor, beyond
// its memory when idle. 256 strangers send 25 MB each, without a signature and with a wrong
// signature. Then eight signed deliveries of 25 MB come at once.
func BenchmarkDeliveryMemory(b *testing.B) {
	for b.Loop() {
		h, address := newWebhookService(b, 1)
		h.Start()
		settle()
		pid := h.ProcessIDs("mews")[0]
		for name, headers := range map[string]string{
			"KB-strangers": "", "KB-forgers": "X-Hub-Signature-256: sha256=" + strings.Repeat("ab", 32) + "\r\nX-GitHub-Event: push\r\nX-GitHub-Delivery: 1\r\n",
		} {
			b.ReportMetric(peakMemory(b, pid, 256, func(int) { sendLargeBody(address, headers) }), name)
		}
		b.ReportMetric(peakMemory(b, pid, 8, func(i int) { postDelivery(b, address, fmt.Sprint(i), deliveryBody(fmt.Sprint(i), 25_000_000)) }), "KB-eight-of-25MB")
		h.Stop()
	}
	b.ReportMetric(0, "ns/op")
}

// sendLargeBody sends 25 MB for as long as the other side reads.
func sendLargeBody(address, headers string) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /webhook/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 25000000\r\n%s\r\n", headers)
	for range 25 {
		if _, err := io.WriteString(conn, strings.Repeat("x", 1_000_000)); err != nil {
			return
		}
	}
	io.Copy(io.Discard, conn)
}

// peakMemory returns the most private memory that a process gains while n callers call.
func peakMemory(b *testing.B, pid, n int, call func(i int)) float64 {
	idle := privateMemory(b, pid)
	var done atomic.Bool
	peak := make(chan float64)
	go func() {
		high := 0.0
		for !done.Load() {
			high = max(high, privateMemory(b, pid))
			<-time.After(2 * time.Millisecond)
		}
		peak <- high
	}()
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() { call(i) })
	}
	callers.Wait()
	done.Store(true)
	return <-peak - idle
}
