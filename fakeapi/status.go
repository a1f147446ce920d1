package fakeapi

// keepAllButStatus restores all fields but the status in an object that was sent to the status subresource.
func (r *resource) keepAllButStatus(d, old *draft) {
	metadata, status := d.Object["metadata"], d.Object["status"]
	d.Object, d.empty = old.Object, nil
	d.own()
	if r.standard { // The subresource of most kinds of Kubernetes itself can also change metadata.
		d.Object["metadata"] = metadata
	}
	set(d.Object, "status", status)
}
