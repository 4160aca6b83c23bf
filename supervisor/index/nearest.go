package index

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"time"

	"mews/supervisor/internal/engine"
)

const (
	// queryTimeout is how long a search waits for the vector of its query. Then it uses words only.
	queryTimeout = time.Second
	// maxQueries is the number of cached query vectors.
	maxQueries = 64
	// maxQueryText is how many bytes of a query go into its vector.
	maxQueryText = 2 << 10
	// maxNearest is the number of nearest sections that are ranked.
	maxNearest = 100
	// fusion is the constant of reciprocal rank fusion (60 in Cormack, Clarke and Buettcher, SIGIR
	// 2009).
	fusion = 60
)

const (
	countVectors = `SELECT (SELECT count(*) FROM vector INDEXED BY vector_awaited WHERE user = ?1 AND vector IS NULL),
		(SELECT count(*) FROM vector INDEXED BY vector_user WHERE user = ?1)`
	// The query compares every vector of the user. This is exact, and takes 3 ms for a thousand
	// vectors of 768 numbers. vec1's own tables are only a third faster, and must be trained for
	// that.
	listNearest = `SELECT section FROM vector INDEXED BY vector_user WHERE user = ?1 AND model = ?2 AND length(vector) = length(?3)
		ORDER BY vec1_cos_distance(?3, vector), section DESC`
)

// nearest lists the sections nearest to a query in meaning, the nearest first. The result behind
// says in words why some sections may be missing.
func (x *Index) nearest(ctx context.Context, read engine.Reader, q Query) (near []Hit, behind string, err error) {
	var awaited, all int64
	if err := read.Query(func(r *engine.Row) bool { r.Scan(&awaited, &all); return true }, countVectors, q.User); err != nil {
		return nil, "", err
	}
	if behind = x.pauseReason(q.User); behind != "" || awaited == all {
		return nil, cmp.Or(behind, vectorShare(awaited, all)), nil
	}
	vector, failed := x.vectorOf(ctx, q)
	if failed != nil {
		x.o.Log.Debug("make the vector of what is looked for", "user", q.User, "error", failed)
		return nil, textByWords, nil
	}
	ids, err := engine.AllRows(read, engine.ScanInteger, listNearest, q.User, x.o.Model, vector)
	if err == nil {
		near, err = listFitting(read, q, ids, maxNearest)
	}
	return near[:min(len(near), maxNearest)], vectorShare(awaited, all), err
}

// vectorShare says in words what share of the sections has a vector. "" means that at most one
// batch of sections has no vector.
func vectorShare(awaited, all int64) string {
	if awaited <= embedBatch {
		return ""
	}
	return fmt.Sprintf(textMeaning, 100*(all-awaited)/all)
}

// vectorOf returns the vector of a query's text, from the cache or the model.
func (x *Index) vectorOf(ctx context.Context, q Query) ([]byte, error) {
	text := strings.ToValidUTF8(q.Text[:min(len(q.Text), maxQueryText)], "")
	sum := sha256.Sum256([]byte(text))
	digest := string(sum[:])
	x.mu.Lock()
	vector, kept := x.queries[digest]
	x.mu.Unlock()
	if kept {
		return vector, nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	list, err := x.o.Embedder.Embed(ctx, q.User, []string{text})
	if err != nil {
		return nil, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.queries) == maxQueries {
		clear(x.queries)
	}
	x.queries[digest] = blobOf(list[0])
	return x.queries[digest], nil
}

// fuse merges two rankings by reciprocal ranks: hits high in both come first.
func fuse(words, near []Hit) (hits []Hit) {
	hitOf := map[int64]int{}
	for _, list := range [][]Hit{words, near} {
		for rank, h := range list {
			i, known := hitOf[h.section]
			if !known {
				i, h.Score = len(hits), 0
				hitOf[h.section], hits = i, append(hits, h)
			}
			hits[i].Score += 1 / float64(fusion+1+rank)
		}
	}
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
	return hits
}
