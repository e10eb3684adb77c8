package pdftext

// page is what is drawn, and what it is drawn with.
type page struct {
	resources dict
	contents  any
}

// pages are all pages in order. Where the tree of pages is damaged they are found by
// searching all objects.
func (f *file) pages(limit int) (all []page, err error) {
	seen := map[ref]bool{}
	var visit func(v any, inherited dict, depth int) error
	visit = func(v any, inherited dict, depth int) error {
		if r, ok := v.(ref); ok {
			if seen[r] {
				return nil
			}
			seen[r] = true
		}
		d, ok := f.get(v).(dict)
		if !ok || depth > maxNesting || !f.budget.spend(1) {
			return f.budget.err
		}
		if own := f.dict(d["Resources"]); own != nil {
			inherited = own
		}
		if kids, ok := f.get(d["Kids"]).(array); ok {
			for _, kid := range kids {
				if err := visit(kid, inherited, depth+1); err != nil {
					return err
				}
			}
			return nil
		}
		if len(all) == limit {
			return ErrPages
		}
		all = append(all, page{inherited, d["Contents"]})
		return nil
	}
	if err := visit(f.catalog()["Pages"], nil, 0); err != nil {
		return nil, err
	}
	if len(all) > 0 {
		return all, nil
	}
	f.rebuild()
	for _, num := range f.numbers() {
		if d, ok := f.get(ref{num: num}).(dict); ok && d["Type"] == name("Page") {
			if err := visit(ref{num: num}, nil, 0); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// content is what a page draws. Several streams are one.
func (f *file) content(p page) (all []byte) {
	parts, ok := f.get(p.contents).(array)
	if !ok {
		parts = array{p.contents}
	}
	for _, part := range parts {
		if s, ok := f.get(part).(stream); ok {
			all = append(append(all, f.decode(s)...), '\n')
		}
		if len(all) > inflated(len(f.data)) {
			f.budget.exceed()
		}
		if f.budget.err != nil {
			return nil
		}
	}
	return all
}
