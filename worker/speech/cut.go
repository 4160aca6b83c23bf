package speech

// span is from begin to before end, in samples.
type span struct{ begin, end int64 }

// How long a piece is, in samples. What is not longer than longestPiece is one piece. A killed
// worker costs one.
const (
	shortestPiece = 60 * rate
	usualPiece    = 120 * rate
	longestPiece  = 150 * rate
)

// cut cuts a recording into pieces: in the middle of the silence that is nearest to the usual
// length, or where quietest finds the least noise. The silences are in order. The same recording is
// always cut the same.
func cut(length int64, silences []span, quietest func(span) int64) (pieces []span) {
	begin := int64(0)
	for length-begin > longestPiece {
		best, found := int64(0), false
		for _, s := range silences {
			at := s.begin + (s.end-s.begin)/2
			// A long silence may be cut anywhere.
			if want := begin + usualPiece; s.begin <= want && want <= s.end {
				at = want
			}
			if at < begin+shortestPiece || at > begin+longestPiece {
				continue
			}
			if !found || distance(at, begin+usualPiece) < distance(best, begin+usualPiece) {
				best, found = at, true
			}
		}
		if !found {
			best = quietest(span{begin + usualPiece - 30*rate, begin + longestPiece})
		}
		pieces = append(pieces, span{begin, best})
		begin = best
	}
	return append(pieces, span{begin, length})
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// leastSpeech is how much of a piece must not be silent for a recogniser to be asked: the shortest
// words last about as long.
const leastSpeech = rate / 10

// isSilent tells whether nothing is said in a part.
func isSilent(part span, silences []span) bool {
	left := part.end - part.begin
	for _, s := range silences {
		left -= max(0, min(s.end, part.end)-max(s.begin, part.begin))
	}
	return left < leastSpeech
}
