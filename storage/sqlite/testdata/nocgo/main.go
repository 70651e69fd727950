// Command nocgo opens a database with package sqlite.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/bonafide-id/bonafide/storage/sqlite"
)

func main() {
	for _, open := range []func(context.Context, string) (*sqlite.Store, error){sqlite.Open, sqlite.OpenExisting, sqlite.OpenCurrent} {
		if _, err := open(context.Background(), os.Args[1]); err != nil {
			fmt.Println(err)
		}
	}
}
