// Package blob stores report files in a bucket of gocloud.dev/blob: S3, Google Cloud
// Storage, Azure, or any other with a driver. The program imports the driver and opens
// the bucket; this package imports no driver.
//
//	bucket, err := blob.OpenBucket(ctx, "s3://reports?region=eu-west-1")
//	if err != nil {
//		return err
//	}
//	defer bucket.Close()
//	files, err := corridorblob.New(bucket)
//
// A file's name is its key, of at most [ports.MaxReportFileName] bytes; use
// blob.PrefixedBucket for a prefix.
//
// The context of Create ends the whole upload, that of Open all reading: Write and Read
// have none. If a process dies during an upload, no name shows the incomplete file; a
// lifecycle rule of the bucket removes it.
//
// An open file can be read to its end even when it is removed or replaced, if the
// driver supports it. Reading after a Seek requests the rest from the bucket: if the
// file was replaced meanwhile, that is [errcodes.Conflict], and if it was removed,
// [errcodes.NotFound]. A replacement is recognized by its size and time, so one of the
// same size within one tick of the bucket's clock goes unnoticed.
//
// An error of the bucket is [errcodes.StorageUnavailable]. Its text contains gocloud's
// code but not the provider's message, which errors.As finds.
package blob
