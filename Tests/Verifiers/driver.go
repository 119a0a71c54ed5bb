// Calls Examples/Go/verify.go. Each input line is a call, each output line its result.

package main

import (
	"bufio"
	"encoding/json"
	"os"
	"time"
)

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var call struct {
			Token, Issuer, Audience string
			Keys                    []Key
			Now                     int64
		}
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		claims, err := Verify(call.Token, call.Keys, call.Issuer, call.Audience, time.Unix(call.Now, 0))
		if err != nil {
			output.Encode(map[string]any{"refused": err.Error()})
		} else {
			output.Encode(map[string]any{"answer": claims["sub"]})
		}
	}
}
