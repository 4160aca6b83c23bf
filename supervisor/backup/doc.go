// Package backup makes, lists, checks and thins out backups of a service. This comment is the
// specification of their format, number 1.
//
// # A backup
//
// A backup is a folder. Its name is mews-20261130-140000, with the UTC time of the database in it. If
// it has no homes, -database follows. A name that begins with a dot is an unfinished backup, or one
// that is being deleted; the next backup removes it. A finished backup never changes.
//
//	manifest.json               describes all other files; see Manifest
//	mews.db                     the database, as it was at one moment
//	config/mews.yaml            the configuration file, as it is on the disk; it may hold secrets
//	config/seal.key             the key of the second factors, if it lies in the state folder
//	spool/<sha256>              files that are still to be sent, or that a turn needs
//	homes/<user>.tar.zst        a home, if the supervisor may read it
//	homes/<user>.tar.zst.age    a home that its worker has sealed with age
//
// sent.json beside the backups has the id of the folder for copies elsewhere, and mews-backups.json in
// that folder has the same id.
//
// Folders have mode 0700, files 0600. Each file is a regular file. Two backups may share a file by a
// hard link. There are no other files: workspaces, index.db and logs are left out.
//
// A home is a tar: files/ holds the home, left-out.txt lists the names that are not in it or only in
// part, and history/ holds the versions of text files. Links are kept as links.
//
// # The manifest
//
// manifest.json is one JSON object; see Manifest for its keys. Unknown, missing and repeated keys are
// errors. It names each other file once, with its size and its SHA-256 in hexadecimal, and all that is
// left out, with the reason. Times are RFC 3339 in UTC.
//
// # One file
//
// A copy elsewhere also has after.log, as it was when the copy was made.
//
// A backup that leaves the disk of the state is one file: mews-20261130-140000.tar.zst.age. It is a
// tar of the folder, compressed by zstd and sealed with age. Its first member is manifest.json;
// after.log may follow, and then the others in the order of the manifest. Without age the name ends in .tar.zst; this needs the
// word plain.
//
// # The journal
//
// after.log lies beside the backups. It lists acts that must hold after a restore too: people who were
// disabled, removed or deleted, forgotten data, and files deleted by command. It also lists groups that
// were allowed or disallowed, and accounts, invites, logins and second factors that were revoked. It holds
// names and digests only. Each line is one JSON object; see Act.
// A line is appended and synced when the act happens. A line that a kill has cut short holds no act.
// An act that could not be written holds nonetheless; the service's log says so. Acts from before the
// oldest backup are deleted.
package backup
