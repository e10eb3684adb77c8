package main

import (
	"context"
	"errors"
	"os"
	"runtime"
	"runtime/pprof"

	"github.com/nestorhq/nestor/internal/app"
)

func serveFloor(ctx context.Context, model, database string) error {
	r, err := openRows(ctx, database)
	if err != nil {
		return err
	}
	return errors.Join(serve(ctx, newFloor(model, r)), r.close())
}

// serveNestor runs Nestor and writes what it spent time and memory on to
// PROFILE.cpu and PROFILE.mem when it ends.
func serveNestor(ctx context.Context, data, db, roles, profile string) (err error) {
	runtime.MemProfileRate = 64 << 10
	cpu, err := os.Create(profile + ".cpu")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cpu.Close()) }()
	if err := pprof.StartCPUProfile(cpu); err != nil {
		return err
	}
	err = app.Run(ctx, app.Config{
		Data: data, DB: db, Agents: roles, Addr: "127.0.0.1:0", LogLevel: "error", Token: os.Getenv("NESTOR_TOKEN"),
	})
	pprof.StopCPUProfile()
	mem, failure := os.Create(profile + ".mem")
	if failure != nil {
		return errors.Join(err, failure)
	}
	return errors.Join(err, pprof.Lookup("allocs").WriteTo(mem, 0), mem.Close())
}
