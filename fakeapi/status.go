package fakeapi

// keepAllButStatus makes of an object that was sent to the status subresource one that changes the status alone.
func (r *resource) keepAllButStatus(d, old *draft) {
	status := d.Object["status"]
	if r.standard {
		// The metadata of most kinds of Kubernetes can be changed there as well.
		metadata := d.Object["metadata"]
		d.Object = old.Object
		d.own()
		d.Object["metadata"] = metadata
	} else {
		d.Object = old.Object
		d.own()
	}
	set(d.Object, "status", status)
}
