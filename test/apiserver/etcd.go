package main

import (
	"context"
	"errors"
	"net/url"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
)

// startEtcd starts an etcd cluster with one member, which stores its data below dir, and returns it once it has a
// leader. It listens on free loopback ports.
func startEtcd(ctx context.Context, dir string) (*embed.Etcd, error) {
	anyPort := []url.URL{{Scheme: "http", Host: "127.0.0.1:0"}}
	config := embed.NewConfig()
	config.Dir = dir
	config.ListenClientUrls, config.AdvertiseClientUrls = anyPort, anyPort
	config.ListenPeerUrls, config.AdvertisePeerUrls = anyPort, anyPort
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	// Written data survives a crash of the process, though not of the machine; tests need no more.
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
