package siege

import (
	"os"
	"testing"

	"github.com/nestorhq/nestor/internal/testmain"
)

func TestMain(m *testing.M) {
	if text := os.Getenv(serverVariable); text != "" {
		os.Exit(runServer(text))
	}
	testmain.Run(m)
}
