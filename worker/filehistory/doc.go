// Package filehistory keeps earlier versions of a home's files, and restores them. The user's
// programs have no access to its folder.
//
// # Words
//
// A point is a numbered moment: 1, 2, 3. Each point has the changes of some paths since the point
// before: kind, permissions, size, times, inode and the digest of the bytes, before and after. A
// span leads from one point to another. A version is the state of a path at a point.
//
// # Files
//
// The folder has packs (000001.pack and so on) and an index. A pack begins with a magic, a version
// and a random id. Then it has records, up to 16 MiB in all. A record has a header of 20 bytes:
// magic, kind, compression, both lengths, and a CRC-32C that includes the id of the pack. So no
// file of the home can hold bytes that look like a record. The kinds:
//
//   - B: a chunk, up to 1 MiB of a file's bytes, addressed by their SHA-256
//   - L: the list of the chunks of a larger file, addressed by the SHA-256 of the whole
//   - C: some changes of a point, before its P record
//   - P: a point, with its time and author; without it the changes before it do not count
//   - S: present entries; the digests were added after their point, or its changes were dropped
//   - H: the digest of bytes that a file tool keeps before a change; they stay for 48 hours
//
// Records are only appended. A record counts if its checksum is right. An incomplete record at the
// end of the last pack is cut off at the next load. A damaged record is reported, and affects no
// other record. Payloads from 64 bytes on are compressed with S2, which is three times as fast as
// compress/flate at its lowest level, for packs that are a fifth larger.
//
// The index file has all that a load needs: where each chunk is, the points, and the present entry
// of each path. It is written when the history is closed or has been idle, and has a checksum. A
// load reads what was appended to the packs since. If the index is missing, is damaged or belongs
// to other packs, all of it is rebuilt from the packs.
//
// # Keeping
//
// BeginProgram compares the home with the present entries by size, time of change (ctime), inode
// and mode. It keeps new bytes before the program starts, for at most 2 s. That includes the wait
// for another operation, but not the time to list the home. Small and new files come first. End
// compares again, and syncs the packs once. If a tree is older than the last recorded change, both
// list the home again. Run keeps new bytes in the background, on a thread of lower priority and at
// most 20 MiB a second. It gives the lock to others that wait. A file that changed while it was
// read is read up to three times. A file that changed within a tick of the clock is read again
// later. A file that could not be read is tried again each hour.
//
// Nothing counts as deleted in a folder that cannot be read, below a new mount, or beyond a path of
// 4096 bytes. If a program deletes such a folder, NotKept names it. A home of more than 300,000
// files and folders is not listed to its end; Tree.Err reports that.
//
// Names may have any bytes. Messages name only paths in UTF-8, and count the others.
//
// # Room
//
// All versions stay for 48 hours, one a day for 30 days, and one a week for a year. The last
// version of a deleted file stays for a year. A version that a tool, a program, an undo or a
// restore replaced stays for 7 days, so that this can be undone.
//
// If there is no room, spare versions go before their time, first those of the files with the most
// versions and bytes. A version that was replaced over 48 hours ago is spare. A newer one is spare
// only if a program made it, it existed for less than an hour, and newer ones follow. Present files
// and the last versions of deleted files are never spare. If that is not enough, the new bytes are
// refused. If the disk is nearly full, Thin deletes all versions that were replaced over 48 hours
// ago. To delete versions, the history writes a new pack and renames it over the old one.
//
// Records of changes count in the room, and an eighth of it is for them alone. They are deleted
// with their versions, or after a year. The record of a deletion stays while another change of its
// path does. If there is no room for the records of a point, the point is refused.
//
// If the system's clock jumps ahead, versions get older only after an hour with that time.
//
// # Damage
//
// A part of a pack that can't be read loses only its own records. The index names that pack as bad:
// nothing is appended to it, and only Forget rewrites it.
package filehistory
