package fakeapi

// keepAllButStatus restores all fields except the status in an object sent to the status subresource.
func (r *resource) keepAllButStatus(d, old *draft) {
	metadata, had := d.Object["metadata"], old.Object["status"] != nil
	status, sent := d.Object["status"]
	d.Object, d.empty = old.Object, nil
	d.own()
	if r.standard { // The subresource of most kinds of Kubernetes itself can also change metadata.
		d.Object["metadata"] = metadata
	}
	set(d.Object, "status", status)
	if status == nil && sent && had && !r.standard {
		d.Object["status"] = nil // null is invalid, but is not stored if there was no status before
	}
}
