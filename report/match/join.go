package match

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/corridor-go/corridor/errcodes"
	"github.com/corridor-go/corridor/ports"
)

// join is a hash join. Records that do not fit into memory are partitioned into files by
// the upper bits of their hash. Each file is joined separately and partitioned again by
// the next bits if needed.
type join struct {
	space   *space
	bounds  bounds
	matcher *matcher
	arena   arena
	entries []entry
	ends    []int
	buf     []byte
	steps   int
}

// entry is the place of a record in the arena.
type entry struct {
	hash uint64
	at   place
}

const (
	entryBytes = 16
	stepsACtx  = 1024 // the context is checked every so many steps
)

func newJoin(s *space, b bounds, j *matcher) *join {
	return &join{space: s, bounds: b, matcher: j, arena: newArena(b.records)}
}

// run reads both sides and matches them.
func (j *join) run(ctx context.Context, in Input) error {
	top := &partition{join: j}
	for line, err := range in.Lines {
		if err != nil {
			return err
		}
		if err := j.line(ctx, top, line); err != nil {
			return err
		}
	}
	for p, err := range in.Payments {
		if err != nil {
			return err
		}
		if err := j.payment(ctx, top, p); err != nil {
			return err
		}
	}
	return top.finish(ctx)
}

func (j *join) line(ctx context.Context, top *partition, l ports.SettlementLine) error {
	j.buf = appendLine(j.buf[:0], hashPlain(l.Reference), l)
	if l.Bad == "" && l.Reference != "" {
		return top.add(ctx, j.buf)
	}
	if err := j.step(ctx); err != nil {
		return err
	}
	return j.matcher.alone(ctx, j.buf)
}

func (j *join) payment(ctx context.Context, top *partition, p Payment) error {
	j.matcher.count(p)
	j.buf = appendPayment(j.buf[:0], hashPlain(p.Reference), p)
	if p.Reference != "" {
		return top.add(ctx, j.buf)
	}
	if err := j.step(ctx); err != nil {
		return err
	}
	return j.matcher.alone(ctx, j.buf)
}

func (j *join) step(ctx context.Context) error {
	if j.steps++; j.steps%stepsACtx != 0 {
		return nil
	}
	return ctx.Err()
}

// partition is a set of records that match no records outside it.
type partition struct {
	join  *join
	level uint
	first uint64 // hash of the first record
	kept  int    // number of records in the arena
	mixed bool   // it has more than one hash
	files []*writer
}

func (p *partition) add(ctx context.Context, raw []byte) error {
	if err := p.join.step(ctx); err != nil {
		return err
	}
	hash := hashOf(raw)
	if p.files == nil {
		if p.join.arena.put(raw, true, entryBytes) != nil {
			p.mixed = p.mixed || p.kept > 0 && hash != p.first
			p.first = hash
			p.kept++
			return nil
		}
		if p.kept == 0 || !p.mixed && hash == p.first {
			return tooMany()
		}
		if err := p.spill(ctx); err != nil {
			return err
		}
	}
	return p.write(ctx, hash, raw)
}

func tooMany() error {
	return errcodes.New(errcodes.Unprocessable, "the lines and payments of one reference do not fit in Limits.MemoryBytes")
}

// spill moves the records in memory to files.
func (p *partition) spill(ctx context.Context) error {
	p.files = make([]*writer, 1<<p.join.bounds.bits)
	for _, raw := range p.join.arena.each {
		if err := p.write(ctx, hashOf(raw), raw); err != nil {
			return err
		}
	}
	p.join.arena.reset()
	return nil
}

func (p *partition) write(ctx context.Context, hash uint64, raw []byte) error {
	n := p.join.bounds.bits
	i := hash << (p.level * n) >> (64 - n)
	if p.files[i] == nil {
		w, err := p.join.space.create(ctx)
		if err != nil {
			return err
		}
		p.files[i] = w
	}
	return p.files[i].put(raw)
}

// finish matches the partition.
func (p *partition) finish(ctx context.Context) error {
	if p.files == nil {
		err := p.match(ctx)
		p.join.arena.reset()
		return err
	}
	var names []string
	for _, w := range p.files {
		if w == nil {
			continue
		}
		if err := w.close(); err != nil {
			return err
		}
		names = append(names, w.name)
	}
	p.files = nil // and their buffers
	for _, name := range names {
		if err := p.join.again(ctx, name, p.level+1); err != nil {
			return err
		}
	}
	return nil
}

// again joins a file.
func (j *join) again(ctx context.Context, name string, level uint) error {
	r, err := j.space.read(name, j.bounds.records)
	if err != nil {
		return err
	}
	p := &partition{join: j, level: level}
	for {
		raw, err := r.next()
		if err != nil {
			return err
		}
		if raw == nil {
			return p.finish(ctx)
		}
		if len(raw) < recordHead {
			return corrupt()
		}
		if err := p.add(ctx, raw); err != nil {
			return err
		}
	}
}

// match passes the records of each plain reference to the matcher together.
func (p *partition) match(ctx context.Context) error {
	p.sort()
	entries := p.join.entries
	for from := 0; from < len(entries); {
		to := from + 1
		for to < len(entries) && entries[to].hash == entries[from].hash {
			to++
		}
		if err := p.group(ctx, entries[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

func (p *partition) group(ctx context.Context, entries []entry) error {
	if len(entries) > p.join.bounds.group {
		return tooMany()
	}
	matcher := p.join.matcher
	matcher.begin()
	for _, e := range entries {
		if err := p.join.step(ctx); err != nil {
			return err
		}
		if err := matcher.add(p.join.arena.at(e.at)); err != nil {
			return err
		}
	}
	return matcher.group(ctx)
}

// sort sorts the arena's records by hash: into buckets by the bits that follow the
// partition's common ones, then within each bucket.
func (p *partition) sort() {
	j, width := p.join, min(max(bits.Len(uint(p.kept)), 5)-5, 12)
	shift := p.level * j.bounds.bits
	bucket := func(hash uint64) uint64 { return hash << shift >> (64 - width) }
	j.entries = slices.Grow(j.entries[:0], p.kept)[:p.kept]
	j.ends = append(j.ends[:0], make([]int, 1<<width+1)...)
	for _, raw := range j.arena.each {
		j.ends[bucket(hashOf(raw))+1]++
	}
	for i := range 1 << width {
		j.ends[i+1] += j.ends[i]
	}
	for at, raw := range j.arena.each {
		hash := hashOf(raw)
		end := &j.ends[bucket(hash)]
		j.entries[*end] = entry{hash, at}
		*end++
	}
	from := 0
	for _, end := range j.ends[:1<<width] {
		slices.SortFunc(j.entries[from:end], func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
		from = end
	}
}
