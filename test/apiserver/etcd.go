package main

import (
	"context"
	"errors"
	"net/url"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// startEtcd returns a cluster of one that has elected itself and stores below dir. It listens on free loopback ports.
func startEtcd(ctx context.Context, dir string) (*embed.Etcd, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = dir
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// What the process has written outlives it, though not the machine, which is all that a test needs.
	config.UnsafeNoFsync = true
	config.TickMs, config.ElectionMs = 10, 100 // there is nobody to wait for
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())

	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err = <-etcd.Err():
	case <-etcd.Server.StopNotify():
		err = errors.New("stopped before it was ready")
	case <-ctx.Done():
		err = ctx.Err()
	}
	etcd.Close()
	return nil, err
}

// compact removes all versions of objects but the latest.
func compact(ctx context.Context, etcd *embed.Etcd) error {
	_, err := etcd.Server.Compact(ctx, &etcdserverpb.CompactionRequest{Revision: etcd.Server.KV().Rev(), Physical: true})
	return err
}
