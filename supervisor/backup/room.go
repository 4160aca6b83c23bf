package backup

import (
	"context"
	"errors"
	"fmt"

	"mews/protocol/amount"
	"mews/supervisor"
)

// spare is free room that a backup needs besides, in bytes.
const spare = 16 << 20

// checkRoom refuses a backup if the disk has less than 2.2 times free of what it may write.
func (m *Maker) checkRoom(ctx context.Context, former *Found, homes bool) error {
	free, _, err := m.o.Space(m.o.Dir)
	if err != nil {
		return fmt.Errorf("ask how much room the backups have: %w", err)
	}
	blobs, err := m.sizeOfBlobs(ctx, former)
	if err != nil {
		return err
	}
	size := m.o.Size() + blobs
	if homes {
		size += m.sizeOfHomes(former)
	}
	if need := size*22/10 + spare; free < need {
		return supervisor.Errorf(supervisor.CodeUnavailable, textNoRoom, m.o.Dir, amount.BinarySize(need),
			amount.BinarySize(max(0, free)))
	}
	return nil
}

// sizeOfBlobs returns the bytes of the files to be sent that the former backup lacks.
func (m *Maker) sizeOfBlobs(ctx context.Context, former *Found) (sum int64, err error) {
	blobs, err := m.o.Blobs(ctx)
	for sha256 := range blobs {
		if former != nil {
			if _, there := former.Manifest.FindFile(spoolFolder + "/" + sha256); there {
				continue
			}
		}
		if r, size, bad := m.o.OpenBlob(sha256); bad == nil { // the backup leaves out any other
			sum += size
			err = errors.Join(err, r.Close())
		}
	}
	return sum, err
}

// sizeOfHomes returns the bytes of the homes' archives. A home without one counts as large as it is.
func (m *Maker) sizeOfHomes(former *Found) (sum int64) {
	for _, h := range m.o.Homes() {
		size := h.Bytes
		if former != nil {
			if old, there := former.Manifest.FindHome(h.User); there {
				f, _ := former.Manifest.FindFile(old.File)
				size = f.Size
			}
		}
		if !h.Foreign || m.o.Recipient != "" {
			sum += size
		}
	}
	return sum
}
