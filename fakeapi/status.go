package fakeapi

// keepAllButStatus makes of an object that was sent to the status subresource one that changes the status alone.
func (r *resource) keepAllButStatus(d, old *draft) {
	metadata, status := d.Object["metadata"], d.Object["status"]
	d.Object, d.empty = old.Object, nil
	d.own()
	if r.standard { // The metadata of most kinds of Kubernetes can be changed there as well.
		d.Object["metadata"] = metadata
	}
	set(d.Object, "status", status)
}
