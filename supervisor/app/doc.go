// Package app is the composition: it makes the parts of the service, starts them in order, and
// stops them in the reverse order. Beside cmd/mews it alone reads the configuration. A message
// passes them in this order:
//
//  1. An update comes: supervisor/telegram/poll.go asks for it, or supervisor/telegram/webhook.go
//     is given it by supervisor/web/web.go.
//  2. supervisor/telegram/inbound.go makes an Incoming of it; the word is in
//     supervisor/inbound.go.
//  3. supervisor/ingress/handler.go finds out who sent it. A stranger gets silence.
//  4. supervisor/inbox/inbox.go asks the gate of supervisor/access/gate.go whether a code is needed
//     first.
//  5. supervisor/sqlite/inbox_batch.go keeps the message and where the next batch begins, in one
//     transaction.
//  6. supervisor/app/sessions.go wakes what it is for: supervisor/command/command.go for a command,
//     which passes the queue by; supervisor/attachment/receiver.go where files came with it, which
//     has them fetched, kept and read by operations of supervisor/operation/operation.go first;
//     else supervisor/session/registry.go.
//  7. supervisor/session/session.go takes what waits in the conversation;
//     supervisor/sqlite/turn_take.go keeps the turn's start.
//  8. supervisor/session/turn.go makes an attempt; supervisor/runner/turns.go runs it on a worker of
//     supervisor/pool/pool.go, which lives where supervisor/placement/places.go says.
//  9. worker/serve/turn.go takes the turn; worker/agent/turn.go asks for the model's next step.
//  10. supervisor/hostcall/model_stream.go assembles the request with
//     supervisor/history/history.go, takes a lease with
//     supervisor/budget/reserver.go, and calls the model of supervisor/model/catalogue.go.
//  11. What the model writes goes to the worker by supervisor/hostcall/step_stream.go, and to
//     supervisor/reply/reply.go.
//  12. supervisor/sqlite/turn_step.go keeps the model's message before the worker is told of it.
//  13. Tools run in the worker: worker/agent/call.go. What needs the world is a host call of
//     supervisor/hostcall/table.go.
//     Where a person is asked first, supervisor/question/questions.go puts the question, the attempt ends, and nothing of the turn
//     runs. It goes on from 8 once the question has ended: by a press, by words that 5 keeps, or by its time.
//  14. supervisor/sqlite/turn_finish.go keeps the answer's deliveries, the usage and that the
//     message was answered, in one
//     transaction: that of 12 where the model asks for nothing more and nothing waits.
//  15. supervisor/outbox/chat_queue.go delivers: in order, at the channel's pace, once.
//     supervisor/telegram/send.go sends.
//     What can be sent at once is claimed before 14: supervisor/outbox/claim.go. When all is delivered the message is done.
package app
