//go:build linux && !amd64

package escape

func x32Socket(Victims) error { return untried("x32 is an ABI of amd64") }
