// Package app is the composition: it makes the parts of the service, starts them in order, and
// stops them in the reverse order. Only this package and cmd/mews read the configuration. A message
// passes the parts in this order:
//
//  1. supervisor/telegram/poll.go asks Telegram for an update. With a webhook, supervisor/web/web.go
//     passes it to supervisor/telegram/webhook.go instead.
//  2. supervisor/telegram/inbound.go turns the update into an Incoming, which is declared in
//     supervisor/inbound.go.
//  3. supervisor/ingress/handler.go finds the sender. A stranger gets no answer.
//  4. supervisor/inbox/inbox.go asks the gate of supervisor/access/gate.go whether a code is needed
//     first.
//  5. supervisor/sqlite/inbox_batch.go stores the message and the start of the next batch, in one
//     transaction.
//  6. supervisor/app/sessions.go wakes the part that handles the message. Commands go to
//     supervisor/command/command.go, without waiting in the queue. Messages with files go to
//     supervisor/attachment/receiver.go first, whose operations of supervisor/operation/operation.go
//     fetch, store and read the files. All others go to supervisor/session/registry.go.
//  7. supervisor/session/session.go takes the waiting messages of the conversation;
//     supervisor/sqlite/turn_take.go stores the turn's start.
//  8. supervisor/session/turn.go makes an attempt; supervisor/runner/turns.go runs it on a worker of
//     supervisor/pool/pool.go, in the home that supervisor/placement/locations.go finds.
//  9. worker/serve/turn.go takes the turn; worker/agent/turn.go asks for the model's next step.
//  10. supervisor/hostcall/model_stream.go builds the request with supervisor/history/history.go,
//     takes a lease with supervisor/budget/reserver.go, and calls the model of
//     supervisor/model/catalogue.go.
//  11. supervisor/hostcall/step_stream.go passes the model's text to the worker, and to
//     supervisor/reply/reply.go.
//  12. supervisor/sqlite/turn_step.go stores the model's message before the worker gets it.
//  13. Tools run in the worker: worker/agent/call.go. A tool that needs the outside makes a host call
//     of supervisor/hostcall/table.go. If the user is asked first,
//     supervisor/question/questions.go puts the question and the attempt ends. The turn goes on
//     from 8 once the question has ended: by a press, by words that 5 stores, or by its time.
//  14. supervisor/sqlite/turn_finish.go stores the answer's deliveries, the usage and the end of the
//     message, in one transaction. It is the transaction of 12 if the model asks for nothing more and
//     nothing waits.
//  15. supervisor/outbox/chat_queue.go delivers in order, at the channel's pace, once;
//     supervisor/telegram/send.go sends. A post that can be sent at once is claimed before 14, by
//     supervisor/outbox/claim.go. When all is delivered, the message is done.
package app
