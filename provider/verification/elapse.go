package verification

import (
	"time"

	"github.com/bonafide-id/bonafide/storage"
)

// elapsed moves the times in the content of a case by as much as those of its record: the
// clock of a sandbox moves records, and cannot open them.
func (k content) elapsed(c storage.Case) content {
	by := c.CreatedAt.Sub(k.Created)
	if by == 0 {
		return k
	}
	k = k.clone()
	move := func(times ...*time.Time) {
		for _, t := range times {
			if !t.IsZero() {
				*t = t.Add(by)
			}
		}
	}
	move(&k.Created, &k.Since, &k.Retry, &k.Held)
	for i := range k.Checks {
		of := &k.Checks[i]
		of.Found = of.Found.elapsed(move)
		if of.Step != nil {
			moved := *of.Step
			switch {
			case moved.Code != nil:
				sent := *moved.Code
				move(&sent.SentAt)
				moved.Code = &sent
			case moved.GoTo != nil:
				goTo := *moved.GoTo
				move(&goTo.Until)
				moved.GoTo = &goTo
			case moved.Wait != nil:
				wait := *moved.Wait
				move(&wait.Again, &wait.Until)
				moved.Wait = &wait
			}
			of.Step = &moved
		}
	}
	k.Member = k.Member.elapsed(move)
	if k.Waiting != nil {
		waiting := *k.Waiting
		move(&waiting.At, &waiting.Until)
		k.Waiting = &waiting
	}
	if k.Review != nil {
		for i := range k.Review.Opinions {
			move(&k.Review.Opinions[i].At, &k.Review.Opinions[i].Until)
		}
	}
	return k
}

func (f *finding) elapsed(move func(...*time.Time)) *finding {
	if f == nil {
		return nil
	}
	moved := *f
	move(&moved.Until, &moved.At)
	return &moved
}
