package lab

// Subsets returns all ways to choose among names.
func Subsets(names []string) (all [][]string) {
	for set := range 1 << len(names) {
		var chosen []string
		for i, name := range names {
			if set&(1<<i) != 0 {
				chosen = append(chosen, name)
			}
		}
		all = append(all, chosen)
	}
	return all
}
