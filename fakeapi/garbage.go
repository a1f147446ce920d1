package fakeapi

// collect does, after a write, what the garbage collector would do about it.
func (a *API) collect(r *resource, old, new *object) {
	if !a.garbage {
		return
	}
}
