package sandbox

import (
	"errors"

	"golang.org/x/sys/unix"
)

// readFile reads a small file, as much as fits into buf. It returns nil for a file that cannot be
// read, such as a /proc file of an ended process. Like writeFile it makes plain system calls:
// package os would use the runtime's poller, which costs more than reading a small file.
func readFile(dir int, name string, buf []byte) []byte {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, buf)
	if err != nil {
		return nil
	}
	return buf[:n]
}

// writeFile writes a few bytes to a file, and makes the file if it is missing.
func writeFile(name, text string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC|unix.O_CLOEXEC, 0o644)
	if err != nil {
		return err
	}
	_, err = unix.Write(fd, []byte(text))
	return errors.Join(err, unix.Close(fd))
}
