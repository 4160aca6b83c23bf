package filehistory

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

const (
	packMagic  = "MEWSPACK\x01\x00\x00\x00\x00\x00\x00\x00"
	packHeader = len(packMagic) + len(packID{})
	packSize   = 16 << 20 // a pack that has this many bytes gets no more records
	maxPack    = 64 << 20 // a larger file is no pack

	maxBadBlocks = 64 // blocks of a pack that can't be read, before the rest is given up
)

// pack is a file with records.
type pack struct {
	number   uint32
	id       packID
	size     int64
	meta     []metaLocation // records without bytes of files, in their order
	unsynced bool
	torn     bool // the file may be longer than size, after a write that failed
	doubtful bool // a sync has failed, so that the disk may lack bytes that the system's memory has
	bad      bool // a part can't be read; nothing is appended, and only Forget rewrites it
}

// metaLocation is the location of a record in its pack.
type metaLocation struct {
	kind     recordKind
	at, size uint32
	point    int64 // number of the point of a record of changes
}

// location is the location of a chunk, or of the list of chunks of a large file.
type location struct {
	pack     uint32
	at, size uint32 // offset and length of the record
	length   uint32 // bytes of the chunk
	isLarge  bool
}

func newPackID() (id packID) {
	_, _ = rand.Read(id[:]) // never fails
	return id
}

func packName(number uint32) string { return fmt.Sprintf("%06d.pack", number) }

// packs are all packs of a history, in the order of their numbers.
type packs struct {
	folder        *folder
	list          []*pack
	folderChanged bool // the names in the folder are not synced
	open          *os.File
	opened        uint32 // number of the pack that is open
	buffer        []byte
	// pinned are open packs by their number, which stay readable if they are replaced; nil means that
	// packs are closed after use
	pinned map[uint32]*os.File
}

func (p *packs) find(number uint32) *pack {
	for _, pack := range p.list {
		if pack.number == number {
			return pack
		}
	}
	return nil
}

// total returns the bytes of all packs.
func (p *packs) total() (n int64) {
	for _, pack := range p.list {
		n += pack.size
	}
	return n
}

// records returns the bytes of all records that hold no bytes of files.
func (p *packs) records() (n int64) {
	for _, pack := range p.list {
		n += pack.records()
	}
	return n
}

func (p *pack) records() (n int64) {
	for _, m := range p.meta {
		n += int64(m.size)
	}
	return n
}

// use opens a pack for reading and writing. The next call closes it.
func (p *packs) use(number uint32) (*os.File, error) {
	if p.open != nil && p.opened == number {
		return p.open, nil
	}
	p.close()
	if f := p.pinned[number]; f != nil {
		return f, nil
	}
	flags := unix.O_RDWR
	if p.folder.readOnly {
		flags = unix.O_RDONLY
	}
	f, err := p.folder.open(packName(number), flags)
	switch {
	case err != nil:
		return nil, err
	case p.pinned != nil:
		p.pinned[number] = f
	default:
		p.open, p.opened = f, number
	}
	return f, nil
}

func (p *packs) close() {
	if p.open != nil {
		_ = p.open.Close() // all that must last was synced
		p.open = nil
	}
}

// unpin closes the packs that stay open.
func (p *packs) unpin() {
	for _, f := range p.pinned {
		_ = f.Close() // they are only read
	}
	p.pinned = nil
}

// create makes a new pack at the end of the list.
func (p *packs) create() (*pack, error) {
	pack := &pack{number: 1, id: newPackID(), size: int64(packHeader), unsynced: true}
	if n := len(p.list); n > 0 {
		pack.number = p.list[n-1].number + 1
	}
	p.close()
	f, err := p.folder.open(packName(pack.number), unix.O_RDWR|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return nil, err
	}
	p.open, p.opened, p.folderChanged = f, pack.number, true
	if err := p.folder.write(f, append([]byte(packMagic), pack.id[:]...), 0); err != nil {
		return nil, err
	}
	p.list = append(p.list, pack)
	return pack, nil
}

// append writes a record to the last pack.
func (p *packs) append(f frame) (*pack, uint32, error) {
	var last *pack
	if n := len(p.list); n > 0 {
		last = p.list[n-1]
	}
	if last == nil || last.bad || last.size+f.size() > packSize {
		var err error
		if last, err = p.create(); err != nil {
			return nil, 0, err
		}
	}
	file, err := p.use(last.number)
	if err == nil && last.torn {
		err = p.folder.truncate(file, last.size)
	}
	if err != nil {
		return nil, 0, err
	}
	p.buffer = f.appendTo(p.buffer[:0], last.id)
	if err := p.folder.write(file, p.buffer, last.size); err != nil {
		last.torn = p.folder.truncate(file, last.size) != nil
		return nil, 0, &historyError{fmt.Errorf("write to the file history: %w", err)}
	}
	at := uint32(last.size)
	last.size, last.unsynced, last.torn = last.size+f.size(), true, false
	return last, at, nil
}

// read returns the unpacked payload of a record.
func (p *packs) read(number, at, size uint32) ([]byte, recordKind, error) {
	file, err := p.use(number)
	if err != nil {
		return nil, 0, err
	}
	pack, b := p.find(number), make([]byte, size)
	_, err = p.folder.readAt(file, b, int64(at))
	if err == io.EOF || pack == nil {
		err = errBadRecord
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read %s of the file history at %d: %w", packName(number), at, err)
	}
	f, ok := parseRecord(b, pack.id)
	if !ok {
		return nil, 0, fmt.Errorf("read %s of the file history at %d: %w", packName(number), at, errBadRecord)
	}
	payload, err := f.payload()
	return payload, f.kind, err
}

// sync makes all records durable.
func (p *packs) sync() error {
	for _, pack := range p.list {
		if !pack.unsynced {
			continue
		}
		file, err := p.use(pack.number)
		if err == nil && pack.doubtful {
			err = p.writeAgain(file, pack)
		}
		if err == nil {
			err = p.folder.syncFile(file)
			pack.doubtful = err != nil
		}
		if err != nil {
			return fmt.Errorf("sync %s of the file history: %w", packName(pack.number), err)
		}
		pack.unsynced = false
	}
	if !p.folderChanged {
		return nil
	}
	if err := p.folder.sync(); err != nil {
		return fmt.Errorf("sync the file history: %w", err)
	}
	p.folderChanged = false
	return nil
}

// readPack reads a whole pack from an offset on.
func (p *packs) readPack(number uint32, from int64) ([]byte, error) {
	file, err := p.use(number)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	b := make([]byte, max(0, min(info.Size(), maxPack)-from))
	n, err := p.folder.readAt(file, b, from)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// salvagePack reads a pack like readPack. Blocks that the disk can't read become zeros, and isWhole
// is false then. After many of them it stops.
func (p *packs) salvagePack(number uint32, from int64) (b []byte, isWhole bool, err error) {
	b, err = p.readPack(number, from)
	if !errors.Is(err, unix.EIO) {
		return b, true, err
	}
	file, err := p.use(number)
	if err != nil {
		return nil, false, err
	}
	b = nil
	block := make([]byte, 4096)
	for bad := 0; bad < maxBadBlocks && int64(len(b)) < maxPack; {
		n, err := p.folder.readAt(file, block, from+int64(len(b)))
		if errors.Is(err, unix.EIO) {
			clear(block)
			n, err, bad = len(block), nil, bad+1
		}
		if b = append(b, block[:n]...); err == io.EOF {
			break
		}
		if err != nil {
			return nil, false, err
		}
	}
	return b, false, nil
}

// writeAgain writes a pack's bytes anew after a sync that failed. The system may have dropped bytes
// that it could not write, and the next sync would not tell.
func (p *packs) writeAgain(file *os.File, pack *pack) error {
	b := make([]byte, pack.size)
	if _, err := p.folder.readAt(file, b, 0); err != nil {
		return err
	}
	id, ok := parsePackHeader(b)
	end, bad := scanRecords(b, packHeader, pack.id, func(int, frame) {})
	if !ok || id != pack.id || bad > 0 || end < len(b) {
		return fmt.Errorf("the disk has lost records: %w", errBadRecord)
	}
	return p.folder.write(file, b, 0)
}

// parsePackHeader returns the id of a pack.
func parsePackHeader(b []byte) (id packID, ok bool) {
	if len(b) < packHeader || string(b[:len(packMagic)]) != packMagic {
		return id, false
	}
	return packID(b[len(packMagic):packHeader]), true
}
