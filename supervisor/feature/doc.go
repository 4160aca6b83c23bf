// Package feature has the types by which a capability is added to Mews. A Feature is a value. The
// packages command, hostcall, approval and users make their tables of features. Package app starts
// their parts, and adds their routes to the public listener.
//
// A capability is one folder, supervisor/<name>. It has the rules (pure functions), host calls,
// commands, settings, effects, API calls, texts, parts and tests that it needs. Its New takes an
// Options, and its method Feature returns all that it adds. One line in
// supervisor/app/features.go makes it. To add one:
//
//  1. Write supervisor/<name>/<name>.go with Options, New and Feature. New and Feature only store
//     and return; they call nothing of the Options. The reason: the tables are also made without
//     a service, for the configuration's checks and for documents.
//  2. A command: a Command in Feature.Commands, in a Group of /help. Its Run returns the answer.
//     It asks for permission with Request.Allow. Set MayAsk if the command asks, or takes long.
//     Set Private if the answer is only for the user: in a group, it then goes to the user's
//     private chat. The presses of its buttons begin with Prefix, a few letters and a colon.
//  3. A host call: its method, parameters and result in package protocol, with an example. Add a
//     HostCall to Feature.HostCalls, with Handler: InTurn(f). The function's Turn is all that it
//     may know of the turn. An Offence ends a worker that breaks the rules. Refused is an answer
//     for the model. If the effect leaves the sandbox, the parameters have only the ID of the
//     model's call, and Turn.CallOf returns its committed arguments. The worker's side is a tool.
//  4. An effect that users' rules decide about: an Effect in Feature.Effects. Ask with
//     Request.Allow, or with an approval.Approver of the Options.
//  5. A setting: a Setting in Feature.Settings.
//  6. A call of `mews <verb>`: a Call in Feature.Calls, made by NewCall. Caller.UserFor returns
//     whose data the call may see, and audits an admin's look at other users' data.
//  7. A path that programs on the internet call: a Route in Feature.Routes.
//  8. Something that runs for as long as the service does: a Part in Feature.Parts.
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
