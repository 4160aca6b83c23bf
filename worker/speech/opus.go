package speech

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"

	"mews/worker/program"
)

// toOpus makes a voice message of a recording: Ogg Opus at 48 kHz, mono, 32 kbit/s. (Bot API, sendVoice.)
func toOpus(wav, ogg string) program.Program {
	return program.Program{Name: "ffmpeg", Timeout: speakTimeout, Args: []string{"-nostdin", "-v", "error", "-y", "-i", wav,
		"-map_metadata", "-1", "-ac", "1", "-ar", "48000", "-c:a", "libopus", "-b:a", "32k", "-application", "voip", "-f", "ogg", ogg}}
}

// opusRate is how many samples of Opus in Ogg a second has, whatever it was made of. (RFC 7845, section 4.)
const opusRate = 48000

// maxOggPage is how long a page may be. (RFC 3533, section 6.)
const maxOggPage = 65307

var errNoOgg = errors.New("it is not an Ogg file")

// opusSeconds is how long a recording is, in whole seconds and at least one: its last page says at which sample it ends.
func opusSeconds(ogg io.ReadSeeker) (int, error) {
	size, err := ogg.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = ogg.Seek(max(0, size-maxOggPage), io.SeekStart)
	}
	if err != nil {
		return 0, err
	}
	end, err := io.ReadAll(ogg)
	if err != nil {
		return 0, err
	}
	i := bytes.LastIndex(end, []byte("OggS"))
	if i < 0 || len(end)-i < 14 {
		return 0, errNoOgg
	}
	samples := binary.LittleEndian.Uint64(end[i+6:])
	if samples > opusRate*24*3600 {
		return 0, errNoOgg
	}
	return max(1, int((samples+opusRate/2)/opusRate)), nil
}
