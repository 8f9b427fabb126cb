// Package blob keeps report files in a bucket of gocloud.dev/blob: S3, Google
// Cloud Storage, Azure, or what else has a driver. The program imports the
// driver and opens the bucket; this package links none.
//
//	bucket, err := blob.OpenBucket(ctx, "s3://reports?region=eu-west-1")
//	if err != nil {
//		return err
//	}
//	defer bucket.Close()
//	files, err := corridorblob.New(bucket)
//
// A name is the object's key, of at most [ports.MaxReportFileName] bytes. A prefix comes from
// blob.PrefixedBucket.
//
// The context of Create rules the whole upload, that of Open all reading:
// neither Write nor Read has one of its own. What a dead process left of an
// upload is not seen under any name; a rule of the bucket's life cycle removes
// it.
//
// A file that is open is read on to its end, even when it is removed or
// replaced, as far as the driver does so. Reading after a Seek asks the bucket
// again, for the rest from that place; when other bytes stand there by then it
// is [errcodes.Conflict], and [errcodes.NotFound] when none do. Size and time
// tell the bytes apart: a replacement of the same size within one tick of the
// bucket's clock goes unnoticed.
//
// What the bucket refuses is [errcodes.StorageUnavailable]. The error's text
// names gocloud's code and not the provider's words; errors.As finds those.
package blob
