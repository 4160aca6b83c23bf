// Package feature has the types with which a capability is added to Mews. A Feature is a value. The
// packages command, hostcall, approval and users make their tables from all features. Package app
// starts the parts of features, and adds their routes to the public listener.
//
// A capability is one folder, supervisor/<name>. It has the rules (pure functions), host calls,
// commands, settings, effects, API calls, texts, parts and tests that it needs. Its New takes an
// Options, and its method Feature returns everything that it adds. One line in
// supervisor/app/features.go makes it. To add a capability:
//
//  1. Write supervisor/<name>/<name>.go with Options, New and Feature. New and Feature only store
//     and return; they call no function of the Options. The reason: the tables are also made
//     without a service, for the configuration's checks and for documents.
//  2. A command: a row in Feature.Commands, in a group of /help. Its Run returns the answer. It
//     asks for permission with the request's Allow. Set MayAsk if the command asks, or takes long.
//     Set Private if the answer is only for the user: in a group, such an answer goes to the
//     user's private chat. The presses of its buttons begin with Prefix, a few letters and a colon.
//  3. A host call: its method, parameters and result in package protocol, with an example. Add a
//     row to Feature.HostCalls, with Handler: NewHostCallHandler(f). The function's Turn has all
//     that f may know of the turn. A call that no honest worker makes ends the worker. A call that
//     can't be answered gets a reason for the model. If the effect leaves the sandbox, the
//     parameters have only the ID of the model's call, and the Turn finds its committed arguments.
//     A call to another server goes through package external, which keeps its answer. The worker's
//     side is a tool.
//  4. An effect that users' rules decide about: a row in Feature.Effects. Ask for permission with
//     the request's Allow, or with an approval.Approver of the Options.
//  5. A setting: a row in Feature.Settings.
//  6. A call of `mews <verb>`: a row in Feature.Calls, made by NewControlCall. Caller.UserFor
//     returns the user whose data the call may see. If an admin sees another user's data, the audit
//     log records it.
//  7. A path that programs on the internet call: a row in Feature.Routes.
//  8. A function that runs for as long as the service does: a row in Feature.Parts.
//  9. One line in supervisor/app/features.go, and its name in features of cmd/mews/deps_test.go.
//
// Tests run commands and host calls with package featuretest. A test of package app checks that
// names differ, and that the examples of host calls fit their types.
//
// A feature imports only packages of lower floors, such as words, protocol, sqlite, model, budget,
// access and approval. It imports no other feature, and none of session, hostcall, command,
// control, admin and app. If it needs another feature, its Options have a func or a small
// interface for that.
package feature
