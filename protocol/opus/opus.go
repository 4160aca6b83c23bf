// Package opus reads the length of a recording in Ogg Opus.
package opus

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// rate is the number of samples in a second of Opus in Ogg. The source of the sound does not
// matter. (RFC 7845, section 4.)
const rate = 48000

// maxPage is the longest page, in bytes. (RFC 3533, section 6.)
const maxPage = 65307

var errNoOgg = errors.New("it is not an Ogg file")

// LengthInSeconds returns the length of a recording in whole seconds, at least one. The last page
// of the file has the number of the last sample.
func LengthInSeconds(ogg io.ReadSeeker) (int, error) {
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
