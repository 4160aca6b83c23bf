package serve

import (
	"context"
	"fmt"
	"slices"

	"mews/protocol"
)

// method is a call of the supervisor: its phases and the function that answers it.
type method struct {
	phases []phase
	answer func(s *server, ctx context.Context, req *protocol.Request) (any, error)
}

// methods holds all calls that a worker answers. The connection itself answers ping.
var methods = map[string]method{
	protocol.MethodHello:          {[]phase{phaseNew}, decodeParams((*server).hello)},
	protocol.MethodTryWalls:       {[]phase{phaseNew}, decodeParams((*server).tryWalls)},
	protocol.MethodTerminalsList:  {[]phase{phaseReady}, (*server).terminals},
	protocol.MethodDiskGrowth:     {[]phase{phaseReady}, (*server).diskGrowth},
	protocol.MethodDiskThin:       {[]phase{phaseReady}, (*server).thinHistory},
	protocol.MethodDiskHold:       {[]phase{phaseReady}, (*server).holdDisk},
	protocol.MethodTurnStart:      {[]phase{phaseReady}, decodeParams((*server).startTurn)},
	protocol.MethodOperationStart: {[]phase{phaseReady}, decodeParams((*server).startOperation)},
	protocol.MethodStop:           {[]phase{phaseNew, phaseHello, phaseReady}, (*server).stop},
}

// decodeParams adapts an answer that takes parameters of type P.
func decodeParams[P any](answer func(*server, context.Context, P) (any, error)) func(*server, context.Context, *protocol.Request) (any, error) {
	return func(s *server, ctx context.Context, req *protocol.Request) (any, error) {
		var params P
		if err := req.DecodeParams(&params); err != nil {
			return nil, err
		}
		return answer(s, ctx, params)
	}
}

// HandleCall answers a call of the supervisor.
func (s *server) HandleCall(ctx context.Context, req *protocol.Request) (any, error) {
	m, known := methods[req.Method]
	if !known {
		return nil, protocol.MethodNotFoundError(req.Method)
	}
	var now phase
	s.update(func(state *serverState) { now = state.phase })
	if !slices.Contains(m.phases, now) {
		return nil, outOfPhase(req.Method, now)
	}
	return m.answer(s, ctx, req)
}

// HandleNotification reports a notification as an error, because workers expect none. The
// connection itself handles cancel.
func (s *server) HandleNotification(req *protocol.Request) {
	s.options.Report(fmt.Errorf("notification %.80q: not known here", req.Method))
}

// outOfPhase returns the error for a call that came too early or too late.
func outOfPhase(method string, now phase) error {
	return &protocol.Error{
		Code: protocol.CodeInvalidRequest, Message: fmt.Sprintf("%s: not while the worker is %s", method, now),
	}
}
