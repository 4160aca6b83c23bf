package install

import "context"

// FindDrift names the steps of an instance that are not as the installer has left them. It names nothing if the installer has not made that instance. It writes nothing; only root can read
// all of it.
func FindDrift(ctx context.Context, o Options) (names []string, err error) {
	if o.Facts, err = ReadFacts(ctx, o.Root); err != nil {
		return nil, err
	}
	in, err := New(o)
	if err != nil || !in.found {
		return nil, err
	}
	return in.drift(), nil
}

// drift names the steps that are not done, or were undone by a person.
func (in *Installer) drift() (names []string) {
	for _, s := range in.steps() {
		if st, err := s.state(); err != nil || st.edited != "" || !st.done {
			names = append(names, s.name)
		}
	}
	return names
}
