// Package folder keeps report files, and temporary ones, in directories of a
// file system.
//
//	files, err := folder.New("/var/lib/corridor/reports", nil)
//	if err != nil {
//		return err
//	}
//	defer files.Close()
//	scratch, err := folder.NewScratch("/var/tmp/corridor", nil)
//
// # Report files
//
// A file is written under a hidden name beside its own, flushed to the disk,
// renamed, and then its directories are flushed: what [ports.NewReportFile]
// committed outlives a power cut, and no reader sees a part of it. Several
// processes may share the directory. Directories are readable by their owner
// only (0700), and so are files (0600); one that becomes empty is removed.
//
// No name leads out of the directory, neither by dots nor by symbolic links,
// and no link stands for a file. A name has at most [ports.MaxReportFileName] bytes. A name that
// is a directory of others (a, beside a/b) cannot be committed:
// [errcodes.Conflict].
//
// A process that dies leaves its hidden file. Remove takes it away, and so does
// Create under the same name once nothing was written to it for
// [Config.StaleAfter]. Neither can tell it from the file of a slow writer, whose
// Commit is then [errcodes.Conflict].
//
// An open file can be read to its end, whatever becomes of its name.
//
// # Scratch
//
// Each space is a hidden directory of its own. It goes with Close, and when the
// process died before that, with the first [NewScratch] on the same directory
// after [Config.StaleAfter].
//
// What a file system refuses, because it is full, read-only or broken, is
// [errcodes.StorageUnavailable]; errors.Is finds the system's own error in it.
package folder
