// Package report writes reports over transactions and settlements: the
// transactions of a range of days, and the settlement lines that match no
// transaction (SPEC 2.4 to 2.6, 4.5 and 4.6).
//
// Its job is the report as a background job that always ends: RUNNING, then
// COMPLETED or FAILED, claimed under a lease so that a crash resumes or fails
// it and loses nothing (I22). Rows stream from the sources to the writer, so
// that memory does not grow with the report. A manifest beside each file names
// columns, units, range, row count and checksum.
//
// An unmatched settlement line always has a reason, the nearest candidate and
// its age. A line that cannot be read becomes a row with a reason, never the
// end of the report.
//
// The package holds the state machine, the matching rules and the service;
// sources, writers, files and stores reach it through package ports. It exports
// nothing yet.
package report
