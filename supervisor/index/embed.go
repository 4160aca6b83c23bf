package index

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"time"

	"mews/supervisor/internal/engine"
	"mews/supervisor/modelcall"
)

const (
	// embedBatch and embedBytes limit one call of the model: its sections, and the bytes of their
	// texts.
	embedBatch = 64
	embedBytes = 64 << 10
	// embedText is how many bytes of a section go into its vector. Models take 512 to 8,192 tokens.
	embedText = 8 << 10
	// minText is a length in bytes. A text that the model finds too long is cut in half, again and
	// again, until it is not longer than minText.
	minText = 256
	// pauseTime is how long no vectors are made for a user after a failure.
	pauseTime = 10 * time.Minute
)

// pause is the end and the reason of a pause in making a user's vectors. The reason is for people.
type pause struct {
	why   string
	until time.Time
}

const (
	awaitVector  = `INSERT OR IGNORE INTO vector (user, section) VALUES (?, ?)`
	awaitVectors = `INSERT OR IGNORE INTO vector (user, section) SELECT user, id FROM section WHERE user = ? AND (hash = '' OR path <> '')`
	renewVectors = `UPDATE vector SET vector = NULL WHERE user = ? AND vector IS NOT NULL AND model <> ?`
	listAwaited  = `SELECT s.id, s.heading, s.path, s.text FROM vector v INDEXED BY vector_awaited JOIN section s ON s.id = v.section
		WHERE v.user = ? AND v.vector IS NULL ORDER BY v.section DESC LIMIT ?`
	putVector = `UPDATE vector SET model = ?, vector = ? WHERE user = ? AND section = ?`
)

// embed makes the vectors of sections until ctx ends, the newest first. If that fails, it tries
// again after pauseTime. Meanwhile a search finds the sections by their words.
func (x *Index) embed(ctx context.Context) {
	begun := false
	for x.o.Embedder != nil && ctx.Err() == nil {
		worked := false
		if x.reconciledDB() != nil {
			worked = x.embedSome(ctx, !begun)
			begun = true
		}
		if worked {
			continue
		}
		select {
		case <-ctx.Done():
		case <-x.embedWake:
		case <-time.After(pauseTime):
		}
	}
}

// embedSome makes some vectors for each user, and reports whether it made any. The first call also
// records which sections have no vector of this model.
func (x *Index) embedSome(ctx context.Context, first bool) (worked bool) {
	people, err := x.people(ctx)
	for _, user := range people {
		if first {
			err = errors.Join(err, x.write(ctx, func(t *tx) error {
				return errors.Join(t.Exec(renewVectors, user, x.o.Model), t.Exec(awaitVectors, user))
			}, "await vectors of %s", user))
		}
		if x.pauseReason(user) != "" {
			continue
		}
		n, failed := x.embedBatch(ctx, user)
		worked = worked || n > 0
		if failed != nil && ctx.Err() == nil {
			x.pauseVectors(user, failed)
			x.o.Log.Warn("make vectors of what can be found", "user", user, "error", failed)
		}
	}
	if err != nil && ctx.Err() == nil {
		x.o.Log.Warn("note what awaits its vector", "error", err)
	}
	return worked
}

// embedBatch makes the vectors of some of a user's sections.
func (x *Index) embedBatch(ctx context.Context, user string) (made int, err error) {
	list, err := engine.AllRows(x.openDB().Reader(ctx), scanSectionWords, listAwaited, user, embedBatch)
	size := 0
	for i, s := range list {
		list[i].text = strings.ToValidUTF8(s.vectorText(embedText), "")
		if size += len(list[i].text); size > embedBytes {
			list = list[:max(i, 1)]
			break
		}
	}
	if err != nil || len(list) == 0 {
		return 0, x.explain(err, "list what awaits a vector of %s", user)
	}
	return len(list), x.embedList(ctx, user, list)
}

// vectorText returns the text for a section's vector: its heading and text, cut to the length most
// in bytes. The result is never empty.
func (s sectionWords) vectorText(most int) string {
	text := strings.TrimSpace(strings.TrimSpace(s.heading) + "\n" + s.text)
	return text[:min(len(text), most)]
}

// embedList makes the vectors of sections. It halves a list that is too long for the model, and
// cuts a single text that is too long. A text that is too long even at minText gets an empty
// vector.
func (x *Index) embedList(ctx context.Context, user string, list []sectionWords) error {
	texts := make([]string, len(list))
	for i, s := range list {
		texts[i] = s.text
	}
	vectors, err := x.o.Embedder.Embed(ctx, user, texts)
	failed, half := new(modelcall.Error), len(list)/2
	switch tooLong := errors.As(err, &failed) && failed.Class == modelcall.RequestTooLong; {
	case tooLong && half > 0:
		if err := x.embedList(ctx, user, list[:half]); err != nil {
			return err
		}
		return x.embedList(ctx, user, list[half:])
	case tooLong && len(list[0].text) > minText:
		list[0].text = strings.ToValidUTF8(list[0].text[:len(list[0].text)/2], "")
		return x.embedList(ctx, user, list)
	case tooLong:
		vectors = [][]float32{nil}
	case err != nil:
		return err
	}
	return x.write(ctx, func(t *tx) error {
		for i, s := range list {
			if err := t.Exec(putVector, x.o.Model, blobOf(vectors[i]), user, s.id); err != nil {
				return err
			}
		}
		return nil
	}, "keep vectors of %s", user)
}

// blobOf returns a vector as it is stored: 32-bit floats, little-endian, as vec1 reads them.
func blobOf(vector []float32) []byte {
	blob := make([]byte, 0, 4*len(vector))
	for _, n := range vector {
		blob = binary.LittleEndian.AppendUint32(blob, math.Float32bits(n))
	}
	return blob
}

// pauseVectors pauses the vectors of a user for pauseTime, because of err.
func (x *Index) pauseVectors(user string, err error) {
	why := textByWords
	if failed := new(modelcall.Error); errors.As(err, &failed) && failed.Class == modelcall.OverBudget {
		why = textNoMoney
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pauses[user] = pause{why, x.o.Now().Add(pauseTime)}
}

// pauseReason returns why no vectors are made for a user; "" means that they are.
func (x *Index) pauseReason(user string) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	r := x.pauses[user]
	if x.o.Now().Before(r.until) {
		return r.why
	}
	return ""
}
