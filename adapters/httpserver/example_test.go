package httpserver_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/corridor-go/corridor/adapters/httpserver"
)

func ExampleNew() {
	// In a program, auth is a *clientauth.Authenticator and locks a *ratelock.Service.
	handler, err := httpserver.New(&auth{}, httpserver.Services{RateLocks: &locks{minted: true}}, nil)
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()

	request, err := http.NewRequest(http.MethodPost, server.URL+"/v1/rate-locks", strings.NewReader(`{"base":"USD","quote":"ZAR"}`))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer tok-acme")
	request.Header.Set("Content-Type", "application/json")
	response, err := server.Client().Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	fmt.Println(response.Status, err)
	fmt.Println(string(body))
	// Output:
	// 201 Created <nil>
	// {"rateLockId":"rl_1","status":"active","base":"USD","quote":"ZAR","midRate":"18.2500","markupBps":150,"allInRate":"18.52375","createdAt":"2026-11-20T15:00:00.000Z","expiresAt":"2026-11-21T15:00:00.000Z"}
}

func ExampleNewServer() {
	server, err := httpserver.NewServer(http.NotFoundHandler(), nil)
	fmt.Println(server.ReadTimeout, server.WriteTimeout, err)
	// Output: 15s 30s <nil>
}
