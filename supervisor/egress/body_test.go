package egress_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"mews/supervisor/egress"
	"mews/supervisor/egress/egresstest"
)

// The limits of one body.
const (
	maxWire     = 5 << 20
	maxUnpacked = 20 << 20
)

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// noise returns bytes that a packer can shrink to about the share of random ones.
func noise(size, randomOf16 int) []byte {
	random := rand.NewChaCha8([32]byte{})
	text := make([]byte, size)
	for at := 0; at < size; at += 1024 {
		_, _ = random.Read(text[at:min(at+64*randomOf16, size)]) // it never fails
	}
	return text
}

func TestFetch_BodySizes_AreLimited(t *testing.T) {
	bodies := map[string]struct {
		body   []byte
		gzip   bool
		length bool // the answer has its length
		want   egress.Kind
		size   int
	}{
		"plain":           {make([]byte, maxWire), false, true, "", maxWire},
		"plain, chunked":  {make([]byte, maxWire), false, false, "", maxWire},
		"large":           {make([]byte, maxWire+1), false, true, egress.KindTooLarge, 0},
		"large, chunked":  {make([]byte, maxWire+1), false, false, egress.KindTooLarge, 0},
		"packed":          {gzipped(t, noise(maxUnpacked, 3)), true, true, "", maxUnpacked},
		"unpacked large":  {gzipped(t, noise(maxUnpacked+1, 3)), true, false, egress.KindTooLarge, 0},
		"bomb":            {gzipped(t, make([]byte, 30<<20)), true, true, egress.KindTooLarge, 0},
		"small bomb":      {gzipped(t, make([]byte, 1<<20)), true, true, egress.KindTooLarge, 0},
		"ratio below 100": {gzipped(t, bytes.Repeat(noise(960, 16), 50)), true, true, "", 48_000},
		"packed twice":    {gzipped(t, gzipped(t, []byte("text"))), true, true, "", len(gzipped(t, []byte("text")))},
		"two members":     {append(gzipped(t, []byte("one")), gzipped(t, []byte("two"))...), true, true, "", 6},
		"empty":           {nil, true, true, "", 0},
		"no gzip":         {[]byte("plain words, whatever the header says"), true, true, egress.KindAnswer, 0},
		"damaged": {append(gzipped(t, []byte("text"))[:20], 0, 0, 0, 0, 0, 0, 0, 0), true, true,
			egress.KindAnswer, 0},
		"cut": {gzipped(t, noise(9999, 16))[:5000], true, true, egress.KindUnreachable, 0},
	}
	internet := egresstest.New(t)
	internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
		b := bodies[r.URL.Query().Get("body")]
		if b.gzip {
			w.Header().Set("Content-Encoding", "gzip")
		}
		if b.length {
			w.Header().Set("Content-Length", strconv.Itoa(len(b.body)))
		}
		_, _ = w.Write(b.body) // the client may be gone
	})
	client := egress.New(internet.Options())
	for name, b := range bodies {
		resp, body, err := get(t, client, "http://example.org/?body="+name)
		if b.want != "" {
			checkKind(t, err, b.want, "example.org")
		} else if err != nil || len(body) != b.size || b.gzip && b.size > 0 &&
			resp.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got %d bytes and error %v, want %d", name, len(body), err, b.size)
		}
		if len(body) > maxUnpacked {
			t.Errorf("%s: %d bytes came", name, len(body))
		}
	}
}

func TestFetch_UnknownEncodings_AreRefused(t *testing.T) {
	internet := egresstest.New(t)
	internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Encoding"] = strings.Split(r.URL.Query().Get("e"), ";")
		fmt.Fprint(w, "text")
	})
	client := egress.New(internet.Options())
	for encoding, want := range map[string]egress.Kind{"br": egress.KindAnswer, "deflate": egress.KindAnswer,
		"zstd":       egress.KindAnswer,
		"gzip, gzip": egress.KindAnswer, "gzip;gzip": egress.KindAnswer, "identity": "", "Identity": ""} {
		_, body, err := get(t, client, "http://example.org/?e="+strings.ReplaceAll(encoding, ";", "%3b"))
		if want != "" {
			checkKind(t, err, want, "example.org")
		} else if body != "text" || err != nil {
			t.Errorf("%s: got %q and error %v", encoding, body, err)
		}
	}
	a := mustParse(t, "http://example.org/?e=gzip")
	resp, body, err := fetch(t, client, nil, egress.Request{Method: http.MethodHead, Address: a})
	if err != nil || body != "" || resp.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("an answer without a body: got %+v, %q and error %v", resp, body, err)
	}
}

// pace writes so many bytes, and waits after each piece.
type pace struct {
	total, piece int
	wait         time.Duration
}

func (p pace) write(w io.Writer) {
	for sent := 0; sent < p.total; sent += p.piece {
		if _, err := w.Write(make([]byte, p.piece)); err != nil {
			return // the client is gone
		}
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
		time.Sleep(p.wait)
	}
}

func TestFetch_SlowServers_AreEnded(t *testing.T) {
	for name, test := range map[string]struct {
		headers time.Duration // wait before the headers
		body    pace
		want    egress.Kind
		took    time.Duration
	}{
		"headers in time": {9999 * time.Millisecond, pace{1, 1, 0}, "", 9999 * time.Millisecond},
		"no headers":      {time.Hour, pace{}, egress.KindTimeout, 10 * time.Second},
		"no body":         {0, pace{1, 1, time.Hour}, egress.KindTimeout, 5 * time.Second},
		"1 KiB in 0.9 s":  {0, pace{20 << 10, 1 << 10, 900 * time.Millisecond}, "", 18 * time.Second},
		"1 KiB in 1.3 s": {0, pace{20 << 10, 1 << 10, 1300 * time.Millisecond}, egress.KindTimeout,
			5 * time.Second},
		"one byte a second":   {0, pace{20 << 10, 1, time.Second}, egress.KindTimeout, 5 * time.Second},
		"fast, then nothing":  {0, pace{64 << 10, 32 << 10, 6 * time.Second}, egress.KindTimeout, 5 * time.Second},
		"endless":             {0, pace{1 << 30, 64 << 10, 0}, egress.KindTooLarge, 0},
		"endless and unhasty": {0, pace{1 << 30, 4 << 10, time.Second}, egress.KindTimeout, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				internet := egresstest.New(t)
				internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
					select {
					case <-time.After(test.headers):
					case <-r.Context().Done():
						return
					}
					test.body.write(w)
				})
				began := time.Now()
				_, body, err := get(t, egress.New(internet.Options()), "http://example.org/")
				if took := time.Since(began); took != test.took {
					t.Errorf("it took %s, want %s", took, test.took)
				}
				if test.want != "" {
					checkKind(t, err, test.want, "example.org")
				} else if err != nil || len(body) != test.body.total {
					t.Errorf("got %d bytes and error %v", len(body), err)
				}
				time.Sleep(2 * time.Hour) // let the server end
			})
		})
	}
}

func TestFetch_SlowRedirects_ShareOneTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("example.org", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(9 * time.Second)
			http.Redirect(w, r, "/", http.StatusFound)
		})
		began := time.Now()
		_, _, err := get(t, egress.New(internet.Options()), "http://example.org/")
		checkKind(t, err, egress.KindTimeout, "example.org")
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("it took %s", took)
		}
		time.Sleep(time.Minute)
	})
}

func TestFetch_SlowReader_IsNotTakenForServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.Serve("example.org", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(make([]byte, 20<<10)) // the client may be gone
		})
		a := mustParse(t, "http://example.org/")
		resp, err := egress.New(internet.Options()).Fetch(t.Context(), egress.Request{Address: a})
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		for range 3 {
			time.Sleep(8 * time.Second)
			if _, err := io.ReadFull(resp.Body, make([]byte, 1<<10)); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(7 * time.Second) // 31 s after the start
		_, err = io.ReadAll(resp.Body)
		checkKind(t, err, egress.KindTimeout, "example.org")
	})
}

func TestFetch_SilentServer_EndsWithCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		internet := egresstest.New(t)
		internet.ServeConn("example.org", func(conn net.Conn) {
			_, _ = io.Copy(io.Discard, conn) // until the client leaves
			_ = conn.Close()
		})
		stopped := errors.New("stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stopped) })
		client := egress.New(internet.Options())
		if _, err := client.Fetch(ctx, egress.Request{Address: mustParse(t, "http://example.org/")}); err != stopped {
			t.Errorf("got error %v", err)
		}
		if _, err := client.Fetch(ctx, egress.Request{Address: mustParse(t, "http://example.org/")}); err != stopped {
			t.Errorf("after the end of the caller: got error %v", err)
		}
	})
}
