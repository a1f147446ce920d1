// Package e2e proves the generated code of examples/crontab-types, and examples/crontab-controller that is built on it,
// against a real API server with a real etcd, which test/apiserver is. There is nothing to import.
//
// What matters is observed on the wire: a recorder counts and keeps the requests of a client (recorder_test.go), a
// proxy cuts its connections (proxy_test.go). Most tests share a server and keep to a namespace of their own; those
// that restart a server, or need it otherwise configured, have one of their own.
//
//	make e2e
package e2e
