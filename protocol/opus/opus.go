// Package opus tells how long a recording in Ogg Opus is.
package opus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// rate is how many samples of Opus in Ogg a second has, whatever it was made of. (RFC 7845, section
// 4.)
const rate = 48000

// maxPage is how long a page may be. (RFC 3533, section 6.)
const maxPage = 65307

var errNoOgg = errors.New("it is not an Ogg file")

// Seconds is how long a recording is, in whole seconds and at least one: its last page says at
// which sample it ends.
func Seconds(ogg io.ReadSeeker) (int, error) {
	size, err := ogg.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = ogg.Seek(max(0, size-maxPage), io.SeekStart)
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
	if samples > rate*24*3600 {
		return 0, errNoOgg
	}
	return max(1, int((samples+rate/2)/rate)), nil
}
