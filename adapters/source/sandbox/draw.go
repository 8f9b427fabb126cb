package sandbox

// draw returns numbers that look like chance, the same for the same seed on every
// machine: SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014).
type draw uint64

const golden = 0x9E3779B97F4A7C15

func (d *draw) next() uint64 {
	*d += golden
	return mix(uint64(*d))
}

// below returns a number from 0 until n, which is above 0.
func (d *draw) below(n int64) int64 { return int64(d.next() % uint64(n)) }

func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// seed folds texts and numbers into one: FNV-1a, then mixed.
func seed(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return mix(h)
}

// drawOf starts the numbers of one thing of a day.
func drawOf(owner uint64, day, i int64) draw {
	return draw(mix(mix(owner^uint64(day)*golden) ^ uint64(i)*golden))
}
