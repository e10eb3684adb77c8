// Nestor is a durable runtime for nested AI agents. Run `nestor help`.
package main

import (
	"os"

	"github.com/nestorhq/nestor/server"
)

func main() { os.Exit(server.Main(server.Config{})) }
