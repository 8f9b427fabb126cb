// Package folder stores report files and temporary files in directories of a file
// system.
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
// A file is written under a hidden name next to its own, flushed to the disk and
// renamed; then its directories are flushed. So a file that [ports.NewReportFile]
// committed survives a power failure, and no reader sees a part of it. Several
// processes may share the directory. Directories have mode 0700, files 0600. A
// directory that becomes empty is removed.
//
// No name leads out of the directory, neither by dots nor by symbolic links, and links
// are not files. A name has at most [ports.MaxReportFileName] bytes. A name that is
// also a directory (a, if there is a/b) cannot be committed: [errcodes.Conflict].
//
// A process that dies leaves its hidden file behind. Remove removes it, and so does
// Create with the same name if nothing was written to it for [Config.StaleAfter]. It
// looks like the file of a slow writer, whose Commit is then [errcodes.Conflict].
//
// An open file can be read to its end, even when it is removed or replaced.
//
// # Scratch
//
// Each space is a hidden directory. Close removes it. If the process died before that,
// the first [NewScratch] on the same directory after [Config.StaleAfter] removes it.
//
// An error of the file system, because it is full, read-only or broken, is
// [errcodes.StorageUnavailable]; errors.Is finds the system's error.
package folder
