package serve

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"mews/protocol"
)

// hello opens the folder of the user and answers with the tools. After a refusal another hello
// may follow.
func (s *server) hello(_ context.Context, hello protocol.Hello) (any, error) {
	if err := checkHello(hello); err != nil {
		return nil, err
	}
	if err := s.advance(phaseHello, nil); err != nil {
		return nil, err
	}
	u, err := openUserTools(hello, s.options, s.reportExcess)
	if err != nil {
		refusal := &protocol.Error{Code: protocol.CodeFailed, Message: fmt.Sprintf("hello: %v", err)}
		return nil, errors.Join(refusal, s.advance(phaseNew, nil))
	}
	if u.hasHome() {
		u.watch.Open()
	}
	if err := s.advance(phaseReady, u); err != nil {
		u.close()
		return nil, err
	}
	result := protocol.HelloResult{Version: protocol.Version, Build: s.options.Build, Tools: []protocol.Tool{}}
	if u.hasHome() {
		result.Tools = u.descriptions(nil)
	}
	return result, nil
}

// advance moves the handshake to its next phase. It fails if another hello or a stop has come
// first.
func (s *server) advance(next phase, u *userTools) error {
	var err error
	s.update(func(state *serverState) {
		if now := state.phase; !state.moveTo(next) {
			err = outOfPhase(protocol.MethodHello, now)
			return
		}
		state.tools = u
		if next == phaseReady && u.hasHome() { // this runs only once, because only phaseStopping follows
			s.opened <- u
		}
	})
	return err
}

// checkHello refuses a hello that this worker cannot work with.
func checkHello(hello protocol.Hello) error {
	if hello.Version != protocol.Version {
		return &protocol.Error{
			Code:    protocol.CodeInvalidRequest,
			Message: fmt.Sprintf("hello: protocol %d, want %d: the binaries are of different builds", hello.Version, protocol.Version),
		}
	}
	if hello.Home != "" && hello.Home != "." && !filepath.IsAbs(hello.Home) {
		return &protocol.Error{
			Code:    protocol.CodeInvalidParams,
			Message: fmt.Sprintf("hello: home %.200q: want an absolute path, \".\" for the working directory, or none", hello.Home),
		}
	}
	if hello.Disk < 0 || hello.DiskFiles < 0 || hello.Uploads < 0 {
		return &protocol.Error{
			Code: protocol.CodeInvalidParams,
			Message: fmt.Sprintf("hello: disk %d, disk_files %d, uploads %d: want 0 or a number of bytes, of files, and of days",
				hello.Disk, hello.DiskFiles, hello.Uploads),
		}
	}
	return nil
}
