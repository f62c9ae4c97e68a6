// Reads a loan and what a refusal says, by the client that oapi-codegen makes: `read_loan
// quickstart.json`, with a token in TOKEN.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"example.com/loanservicing"
)

func main() {
	var quickstart struct {
		URL       string `json:"api_url"`
		Authority string `json:"ca_certificate"`
	}
	text, err := os.ReadFile(os.Args[1])
	check(err)
	check(json.Unmarshal(text, &quickstart))
	authority, err := os.ReadFile(quickstart.Authority)
	check(err)
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}}
	withToken := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+os.Getenv("TOKEN"))
		return nil
	}
	client, err := loanservicing.NewClientWithResponses(quickstart.URL,
		loanservicing.WithHTTPClient(&http.Client{Transport: transport}),
		loanservicing.WithRequestEditorFn(withToken))
	check(err)
	loan, err := client.GetLoanWithResponse(context.Background(), 1)
	check(err)
	fmt.Printf("read loan %s: %s\n", loan.JSON200.LoanNumber, loan.JSON200.CurrentPrincipalBalance)
	missing, err := client.GetLoanWithResponse(context.Background(), 999_999_999)
	check(err)
	fmt.Printf("read %s\n", missing.ApplicationproblemJSON404.Type)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
