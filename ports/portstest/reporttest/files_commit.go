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
	{"a file does not exist before Commit", func(k *fileKit) {
		f := k.create(aFile)
		k.absent(aFile, "an empty file before Commit")
		k.write(f, manyFileBytes(300<<10))
		k.absent(aFile, "a file before Commit")
		k.commit(f)
		k.contains(aFile, string(manyFileBytes(300<<10)), "the file after Commit")
	}},
	{"Commit replaces the whole file", func(k *fileKit) {
		k.put(aFile, "old,old,old\n")
		f := k.create(aFile)
		k.write(f, []byte("new\n"))
		k.contains(aFile, "old,old,old\n", "the old file before Commit of the new one")
		k.commit(f)
		k.contains(aFile, "new\n", "the new file after Commit")
	}},
	{"Abort discards the new file and keeps the old one", func(k *fileKit) {
		f := k.create(aFile)
		k.write(f, []byte("new\n"))
		k.abort(f)
		k.absent(aFile, "a file after Abort")
		k.put(aFile, "old\n")
		kit.EachOf(k, map[string][]byte{"empty": nil, "a line": []byte("new\n"), "300 KiB": manyFileBytes(300 << 10)}, func(name string, data []byte) {
			f := k.create(aFile)
			k.write(f, data)
			k.abort(f)
			k.abort(f)
			k.contains(aFile, "old\n", "the old file after Abort of the new one")
		})
	}},
	{"Abort after Commit does nothing", func(k *fileKit) {
		f := k.create(aFile)
		k.write(f, []byte("one\n"))
		k.OK(f.Commit(k.Context()), "Commit")
		for range 2 {
			k.abort(f)
			k.contains(aFile, "one\n", "the file after Commit and Abort")
		}
		k.put(aFile, "two\n")
		k.abort(f)
		k.contains(aFile, "two\n", "a file of another writer after Abort")
	}},
	{"a committed or aborted file rejects writes", fileOver},
	{"Write does not keep its argument", func(k *fileKit) {
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
		k.contains(aFile, string(bytes.Repeat([]byte("a"), 4+300<<10)), "a file whose writer reused its buffer")
	}},
	{"concurrent writers of one name leave one complete file", fileWriters},
	{"a done context returns its code and changes nothing", fileCancelled},
	{"a full disk returns StorageUnavailable and keeps the old file", fileFull},
}

func fileOver(k *fileKit) {
	k.put(aFile, "old\n")
	f := k.create(aFile)
	k.write(f, []byte("new\n"))
	k.abort(f)
	if _, err := f.Write([]byte("more\n")); err == nil {
		k.Fatalf("Write after Abort returned no error")
	}
	if f.Commit(k.Context()) == nil {
		k.Fatalf("Commit after Abort returned no error")
	}
	k.contains(aFile, "old\n", "the old file after Commit of an aborted one")
	f = k.create(aFile)
	k.write(f, []byte("new\n"))
	k.OK(f.Commit(k.Context()), "Commit")
	if _, err := f.Write([]byte("more\n")); err == nil {
		k.Fatalf("Write after Commit returned no error")
	}
	k.abort(f)
	k.contains(aFile, "new\n", "a file after a Write that followed Commit")
}

func fileWriters(k *fileKit) {
	part := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i)}, 40<<10) }
	for range 3 {
		k.RaceOK("one of many concurrent writers of one name", func(i int) (err error) {
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
			k.Fatalf("the file of many writers has %d bytes, of which %d equal the first; want %d from one writer", len(got), bytes.Count(got, got[:1]), 5*40<<10)
		}
	}
}

func fileCancelled(k *fileKit) {
	k.put(aFile, "old\n")
	kit.EachOf(k, kit.Done(k), func(code errcodes.Code, ctx context.Context) {
		f, err := k.files.Create(ctx, aFile)
		k.Code(err, code, "Create with a done context")
		k.Same(f == nil, true, "Create with a done context returned no file")
		_, err = k.files.Open(ctx, aFile)
		k.Code(err, code, "Open with a done context")
		k.Code(k.files.Remove(ctx, aFile), code, "Remove with a done context")
		k.contains(aFile, "old\n", "a file after Remove with a done context")

		n := k.create(aFile)
		k.write(n, []byte("new\n"))
		k.Code(n.Commit(ctx), code, "Commit with a done context")
		k.contains(aFile, "old\n", "the old file after Commit with a done context")
		k.abort(n)
		k.contains(aFile, "old\n", "the old file after that Commit and Abort")
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
	k.contains(aFile, "old\n", "the old file after the disk was full")
	k.put(aFile, "new\n")
	k.contains(aFile, "new\n", "a file once there is room again")
}

// overfills writes until the disk is full. An incomplete file must not be
// committed, even if there is room again.
func (k *fileKit) overfills(f ports.NewReportFile, empty func()) error {
	for range 64 {
		if _, err := f.Write(manyFileBytes(64 << 10)); err != nil {
			empty()
			if f.Commit(k.Context()) == nil {
				k.Fatalf("Commit after a failed Write returned no error")
			}
			return err
		}
	}
	err := f.Commit(k.Context())
	k.contains(aFile, "old\n", "the old file on a full disk")
	empty()
	return err
}
