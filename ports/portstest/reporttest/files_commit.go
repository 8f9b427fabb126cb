package reporttest

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
	"github.com/corridor-go/corridor/ports/portstest/internal/kit"
)

var fileCommitChecks = []fileCheck{
	{"nothing stands under a name before Commit", func(k *fileKit) {
		f := k.create(aFile)
		k.none(aFile, "a file without a byte, before Commit")
		k.write(f, manyFileBytes(300<<10))
		k.none(aFile, "a file before Commit")
		k.commit(f)
		k.holds(aFile, string(manyFileBytes(300<<10)), "the file after Commit")
	}},
	{"Commit replaces the whole file", func(k *fileKit) {
		k.put(aFile, "old,old,old\n")
		f := k.create(aFile)
		k.write(f, []byte("new\n"))
		k.holds(aFile, "old,old,old\n", "the old file, before Commit of the new")
		k.commit(f)
		k.holds(aFile, "new\n", "the new file in the old one's place")
	}},
	{"Abort throws the new file away and leaves the old", func(k *fileKit) {
		f := k.create(aFile)
		k.write(f, []byte("new\n"))
		k.abort(f)
		k.none(aFile, "a file after Abort")
		k.put(aFile, "old\n")
		kit.EachOf(k, map[string][]byte{"no bytes": nil, "a line": []byte("new\n"), "300 KiB": manyFileBytes(300 << 10)}, func(name string, data []byte) {
			f := k.create(aFile)
			k.write(f, data)
			k.abort(f)
			k.abort(f)
			k.holds(aFile, "old\n", "the old file after Abort of the new")
		})
	}},
	{"Abort after Commit does nothing", func(k *fileKit) {
		f := k.create(aFile)
		k.write(f, []byte("one\n"))
		k.OK(f.Commit(k.Context()), "Commit")
		for range 2 {
			k.abort(f)
			k.holds(aFile, "one\n", "the file after Commit and Abort")
		}
		k.put(aFile, "two\n")
		k.abort(f)
		k.holds(aFile, "two\n", "a file of another writer after Abort")
	}},
	{"a file that is over takes no more", fileOver},
	{"what was written is not kept", func(k *fileKit) {
		f := k.create(aFile)
		for _, size := range []int{4, 300 << 10} {
			data := bytes.Repeat([]byte("a"), size)
			k.write(f, data)
			if bytes.Count(data, []byte("a")) != size {
				k.Fatalf("Write changed the data")
			}
			copy(data, "bbbb")
		}
		k.commit(f)
		k.holds(aFile, string(bytes.Repeat([]byte("a"), 4+300<<10)), "a file whose writer used its buffer again")
	}},
	{"of writers of one name at once, one whole file stands", fileWriters},
	{"a context that is done gives its own code and changes nothing", fileCancelled},
	{"a full disk has its code and leaves the old file", fileFull},
}

func fileOver(k *fileKit) {
	k.put(aFile, "old\n")
	f := k.create(aFile)
	k.write(f, []byte("new\n"))
	k.abort(f)
	if _, err := f.Write([]byte("more\n")); err == nil {
		k.Fatalf("Write after Abort gives no error")
	}
	if f.Commit(k.Context()) == nil {
		k.Fatalf("Commit after Abort gives no error")
	}
	k.holds(aFile, "old\n", "the old file after Commit of an aborted one")
	f = k.create(aFile)
	k.write(f, []byte("new\n"))
	k.OK(f.Commit(k.Context()), "Commit")
	if _, err := f.Write([]byte("more\n")); err == nil {
		k.Fatalf("Write after Commit gives no error")
	}
	k.abort(f)
	k.holds(aFile, "new\n", "a file after Write behind Commit")
}

func fileWriters(k *fileKit) {
	part := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 40<<10) }
	for range 3 {
		k.RaceOK("one of many writers of one name", func(i int) (err error) {
			f, err := k.files.Create(k.Context(), aFile)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, f.Abort()) }()
			for range 5 {
				if _, err := f.Write(part(i)); err != nil {
					return err
				}
			}
			return f.Commit(k.Context())
		})
		f := k.open(aFile)
		got := kit.Got(io.ReadAll(f)).OK(k, "Read")
		k.shut(f)
		if len(got) != 5*40<<10 || bytes.Count(got, got[:1]) != len(got) {
			k.Fatalf("the file of many writers has %d bytes, %d of them of its first writer; want %d of one", len(got), bytes.Count(got, got[:1]), 5*40<<10)
		}
	}
}

func fileCancelled(k *fileKit) {
	k.put(aFile, "old\n")
	kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
		f, err := k.files.Create(ctx, aFile)
		k.Code(err, code, "Create with a context that is done")
		k.Same(f == nil, true, "Create with a context that is done gives no file")
		_, err = k.files.Open(ctx, aFile)
		k.Code(err, code, "Open with a context that is done")
		k.Code(k.files.Remove(ctx, aFile), code, "Remove with a context that is done")
		k.holds(aFile, "old\n", "a file after Remove with a context that is done")

		n := k.create(aFile)
		k.write(n, []byte("new\n"))
		k.Code(n.Commit(ctx), code, "Commit with a context that is done")
		k.holds(aFile, "old\n", "the old file after Commit with a context that is done")
		k.abort(n)
		k.holds(aFile, "old\n", "the old file after such a Commit and Abort")
	})
}

func fileFull(k *fileKit) {
	k.Need(k.files.Fill != nil, "Fill")
	k.put(aFile, "old\n")
	empty := k.files.Fill()
	f, err := k.files.Create(k.Context(), aFile)
	if err != nil {
		empty()
	} else {
		err = k.overfills(f, empty)
		k.abort(f)
	}
	k.Code(err, errcodes.StorageUnavailable, "writing to a full disk")
	k.holds(aFile, "old\n", "the old file after a disk was full")
	k.put(aFile, "new\n")
	k.holds(aFile, "new\n", "a file once there is room again")
}

// overfills writes until the disk refuses. What is not whole may not be
// committed, though there is room again.
func (k *fileKit) overfills(f ports.NewReportFile, empty func()) error {
	for range 64 {
		if _, err := f.Write(manyFileBytes(64 << 10)); err != nil {
			empty()
			if f.Commit(k.Context()) == nil {
				k.Fatalf("Commit after a Write that failed gives no error")
			}
			return err
		}
	}
	err := f.Commit(k.Context())
	k.holds(aFile, "old\n", "the old file on a full disk")
	empty()
	return err
}
