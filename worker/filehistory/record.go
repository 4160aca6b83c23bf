package filehistory

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
)

// recordKind tells what a record holds.
type recordKind byte

const (
	chunkRecord   recordKind = 'B' // bytes of a file
	largeRecord   recordKind = 'L' // list of the chunks of a file with more than one
	changesRecord recordKind = 'C' // some changes of a point
	pointRecord   recordKind = 'P' // a point, which comes after its changes
	presentRecord recordKind = 'S' // present entries whose bytes were kept after their point
	holdRecord    recordKind = 'H' // bytes that a tool keeps before a change
)

// A record is a header, and a payload that may be compressed. The header has the magic, the kind,
// the method, two zero bytes, the length of the payload on the disk and unpacked, and a checksum of
// all that. Numbers are little-endian.
const (
	recordMagic   = "MwR1"
	recordHeader  = 20
	maxPayload    = 1<<20 + 64<<10 // most bytes of a payload: a chunk, or as many changes
	methodPlain   = 0
	methodS2      = 1
	minCompressed = 64 // shorter payloads are not compressed
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// packID is a random number in the header of a pack. The checksums of its records include it, so
// that no file of the home can hold bytes that look like a record.
type packID [8]byte

func (id packID) checksum(header, payload []byte) uint32 {
	sum := crc32.Update(0, castagnoli, id[:])
	sum = crc32.Update(sum, castagnoli, header[:16])
	return crc32.Update(sum, castagnoli, payload)
}

// frame is a payload in the form that it has on the disk. It fits into any pack.
type frame struct {
	kind   recordKind
	method byte
	raw    int // length of the unpacked payload
	stored []byte
}

// newFrame compresses a payload into buffer if that makes it shorter.
func newFrame(kind recordKind, payload, buffer []byte) frame {
	f := frame{kind: kind, method: methodPlain, raw: len(payload), stored: payload}
	if len(payload) < minCompressed {
		return f
	}
	if small := s2.Encode(buffer[:cap(buffer)], payload); len(small) < len(payload)-len(payload)/16 {
		f.method, f.stored = methodS2, small
	}
	return f
}

// size returns the length of the record on the disk.
func (f frame) size() int64 { return int64(recordHeader + len(f.stored)) }

// appendTo appends the record for one pack.
func (f frame) appendTo(b []byte, id packID) []byte {
	start := len(b)
	b = append(b, recordMagic...)
	b = append(b, byte(f.kind), f.method, 0, 0)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.stored)))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.raw))
	b = binary.LittleEndian.AppendUint32(b, id.checksum(b[start:], f.stored))
	return append(b, f.stored...)
}

// parseHeader returns a record's kind and lengths. It does not check the checksum.
func parseHeader(b []byte) (f frame, stored int, ok bool) {
	if len(b) < recordHeader || string(b[:4]) != recordMagic || b[6] != 0 || b[7] != 0 {
		return frame{}, 0, false
	}
	long, raw := binary.LittleEndian.Uint32(b[8:]), binary.LittleEndian.Uint32(b[12:])
	f = frame{kind: recordKind(b[4]), method: b[5], raw: int(raw)}
	if raw > maxPayload || long > maxPayload || f.method > methodS2 || f.method == methodPlain && long != raw {
		return frame{}, 0, false
	}
	return f, int(long), true
}

// parseRecord returns the record at the front of b, whose payload it does not copy.
func parseRecord(b []byte, id packID) (frame, bool) {
	f, stored, ok := parseHeader(b)
	if !ok || len(b) < recordHeader+stored {
		return frame{}, false
	}
	f.stored = b[recordHeader : recordHeader+stored]
	return f, binary.LittleEndian.Uint32(b[16:]) == id.checksum(b, f.stored)
}

// payload unpacks the record. The result may be the stored bytes themselves.
func (f frame) payload() ([]byte, error) {
	if f.method == methodPlain {
		return f.stored, nil
	}
	if n, err := s2.DecodedLen(f.stored); err != nil || n != f.raw {
		return nil, errBadRecord
	}
	b, err := s2.Decode(nil, f.stored)
	if err != nil || len(b) != f.raw {
		return nil, errBadRecord
	}
	return b, nil
}

// scanRecords calls visit for each good record in the bytes of a pack, after its header. It skips
// damaged bytes. end is the end of the last good record, and bad the number of damaged places
// before it.
func scanRecords(b []byte, from int, id packID, visit func(at int, f frame)) (end, bad int) {
	end, damaged := from, false
	for at := from; at < len(b); {
		f, ok := parseRecord(b[at:], id)
		if !ok {
			damaged = true
			next := bytes.Index(b[at+1:], []byte(recordMagic))
			if next < 0 {
				return end, bad
			}
			at += 1 + next
			continue
		}
		if damaged {
			bad++
			damaged = false
		}
		visit(at, f)
		at += int(f.size())
		end = at
	}
	return end, bad
}
