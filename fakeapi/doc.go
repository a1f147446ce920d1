// Package fakeapi is an API server in memory for tests of Kubernetes clients: its storage and its semantics, behind fake
// clientsets.
package fakeapi
