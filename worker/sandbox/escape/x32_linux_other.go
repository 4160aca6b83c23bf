//go:build linux && !amd64

package escape

func x32Socket(Victims) error { return notTriedError("x32 is an ABI of amd64") }
