// Package feature has the types by which a capability is added to Mews. A Feature is a value:
// packages command, hostcall, approval and users make their tables of it, and package app starts
// its parts and adds its routes to the public listener.
//
// A capability is one folder, supervisor/<name>, with what it needs of these: its rules (pure
// functions), host calls, commands, settings, effects, API calls, texts, parts, and their tests.
// Its New takes an Options of what it works on, and its method Feature returns all that it adds.
// One line in supervisor/app/features.go makes it. To add one:
//
//  1. Write supervisor/<name>/<name>.go with Options, New and Feature. New and Feature store and
//     return, and call nothing of the Options: the tables are also made without a service, for
//     the configuration's checks and for documents.
//  2. A command: a Command in Feature.Commands, in a Group of /help. Its Run returns the answer. It asks for permission
//     with Request.Allow. A command that takes long, or asks, has MayAsk. One whose answer is for
//     the person alone has Private: in a group it is answered in their private chat. Buttons begin
//     their presses with Prefix, a few letters and a colon.
//  3. A host call: its method, parameters and result in protocol, with an example; a HostCall in
//     Feature.HostCalls, with Handler: InTurn(f). The function's Turn is all that it may know of
//     the turn. A worker that breaks the rules is ended by an Offence; what the model should read
//     is Refused. If the effect leaves the sandbox, parameters name the model's call alone, and
//     Turn.CallOf returns its committed arguments. The worker's side is a tool.
//  4. An effect that people's rules decide about: an Effect in Feature.Effects. Ask with
//     Request.Allow, or with an approval.Approver of the Options.
//  5. A setting: a Setting in Feature.Settings.
//  6. A call of `mews <verb>`: a Call in Feature.Calls, made by NewCall. Caller.Whose says whose
//     data the call may see, and audits what an admin looks at.
//  7. A path that programs on the internet call: a Route in Feature.Routes.
//  8. Something that runs for as long as the service does: a Part in Feature.Parts.
//  9. One line in supervisor/app/features.go, and its name in features of cmd/mews/deps_test.go.
//
// Tests run commands and host calls with package featuretest. A test of package app holds names
// apart, and the examples of host calls to their types.
//
// A feature imports lower floors only: words, protocol, sqlite, model, budget, access, approval and
// the like. It imports no other feature, and none of session, hostcall, command, control, admin and
// app. If it needs another feature, its Options have a func or a small interface for that.
package feature
