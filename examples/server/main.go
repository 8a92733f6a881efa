// Server is a server of one's own around the catalog: net/http, a vendor of credentials
// and a store that is watched. Nothing here is special to Levee but the four lines that join
// the parts; logs, authentication and limits go where they go in any other server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/leveelake/catalog"
	"github.com/leveelake/catalog/credentials"
	"github.com/leveelake/catalog/server"
	"github.com/leveelake/catalog/storage"
	"github.com/leveelake/catalog/storage/memory"
	"github.com/leveelake/catalog/types"
)

func main() {
	once := flag.Bool("once", false, "stop after the first request, which the program makes itself")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *once); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, once bool) error {
	logger := slog.New(slog.NewTextHandler(os.Stdout, nil))
	c, err := catalog.New(catalog.Config{
		Store:       watched{memory.New(), logger},
		Vendor:      credentials.Mux{"s3": credentials.VendorFunc(vend), "file": credentials.Local{}},
		ManagedRoot: "s3://lake/tables",
	})
	if err != nil {
		return err
	}
	if _, err := c.CreateCatalog(ctx, types.CreateCatalog{Name: "main"}); err != nil {
		return err
	}

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{
		Handler:           as("somebody", server.New(c, server.Config{Logger: logger})),
		ReadHeaderTimeout: 10 * time.Second,
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	url := "http://" + listener.Addr().String()
	fmt.Println("serving on", url)

	if err := check(ctx, url); err != nil {
		return err
	}
	if !once {
		select {
		case err := <-served:
			return err
		case <-ctx.Done():
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return srv.Shutdown(ctx)
}

// as stands for authentication: the catalog believes whom the context names.
func as(principal string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, r.WithContext(catalog.WithPrincipal(r.Context(), principal)))
	})
}

// vend stands for a call to the cloud. A real one asks for a key that opens req.Location and
// nothing else; credentials/vendortest proves that it does.
func vend(_ context.Context, req credentials.Request) (types.Credential, error) {
	if err := req.Validate(); err != nil {
		return types.Credential{}, err
	}
	life := time.Hour
	if req.TTL > 0 {
		life = min(life, req.TTL)
	}
	return types.Credential{
		Prefix:     credentials.Prefix(req.Location),
		Operation:  req.Operation,
		Expiration: time.Now().Add(life),
		Config: map[string]string{
			types.S3AccessKeyID:     "an-example-key",
			types.S3SecretAccessKey: "an-example-secret",
			types.S3SessionToken:    "an-example-token",
		},
	}, nil
}

// watched is a store that logs how long each transaction took and how it ended.
type watched struct {
	storage.Store
	log *slog.Logger
}

func (s watched) View(ctx context.Context, fn func(storage.ReadTx) error) error {
	start := time.Now()
	err := s.Store.View(ctx, fn)
	s.log.InfoContext(ctx, "view", "took", time.Since(start), "err", err)
	return err
}

func (s watched) Update(ctx context.Context, fn func(storage.Tx) error) error {
	start := time.Now()
	err := s.Store.Update(ctx, fn)
	s.log.InfoContext(ctx, "update", "took", time.Since(start), "err", err)
	return err
}

// check asks for a key to a folder, which takes the request through the store and the vendor.
func check(ctx context.Context, url string) error {
	ask := url + "/api/2.1/unity-catalog/delta/v1/temporary-path-credentials?location=s3://lake/landing&operation=READ"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, ask, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = errors.New(res.Status)
	}
	fmt.Printf("GET %s\n%s: %s\n", ask, res.Status, answer)
	return err
}
