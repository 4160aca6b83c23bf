package speech

// span is a range of samples, from begin to before end.
type span struct{ begin, end int64 }

// Lengths of pieces, in samples. A recording up to longestPiece is one piece. A killed worker loses
// at most one piece.
const (
	shortestPiece = 60 * rate
	usualPiece    = 120 * rate
	longestPiece  = 150 * rate
)

// cutPieces divides a recording into pieces. It cuts in the middle of the silence nearest to the
// usual length, or at the quietest moment that quietest finds. The silences are in order. The same
// recording always gives the same pieces.
func cutPieces(length int64, silences []span, quietest func(span) int64) (pieces []span) {
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

// minSpeech is the least sound for which the recogniser is called: about as long as the shortest
// words.
const minSpeech = rate / 10

// isSilent reports whether a part has no speech.
func isSilent(part span, silences []span) bool {
	left := part.end - part.begin
	for _, s := range silences {
		left -= max(0, min(s.end, part.end)-max(s.begin, part.begin))
	}
	return left < minSpeech
}
