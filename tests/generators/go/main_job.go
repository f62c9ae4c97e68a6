// What an integration does with the API, by the client that `openapi-generator -g go` makes.
//
// Written to be read and copied: `main_job quickstart.json`. It prints a line per step and ends at
// the first one that fails. The documentation page shows its samples.
package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sample: token
import "example.com/loanservicing" // the generated client

// end

const contact = `<Core CommitBlock="1"><Contact ContactNumber="C-GO" ContactTypeCode="BORROWER"
    EntityCode="INDIVIDUAL" ShortName="GO" FirstName1="Go" LastName1="Pher"/></Core>`

type quickstart struct {
	APIURL        string `json:"api_url"`
	AuthURL       string `json:"auth_url"`
	CACertificate string `json:"ca_certificate"`
	Clients       map[string]struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	} `json:"clients"`
	Users map[string]struct {
		Username string `json:"username"`
		Password string `json:"password"`
	} `json:"users"`
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("main_job quickstart.json")
	}
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var installation quickstart
	if err := json.Unmarshal(text, &installation); err != nil {
		return err
	}
	integration, admin := installation.Clients["integration"], installation.Users["admin"]
	apiURL, authURL := installation.APIURL, installation.AuthURL
	clientID, clientSecret := integration.ClientID, integration.ClientSecret
	caCertificate := installation.CACertificate
	username, password := admin.Username, admin.Password

	// sample: log-in
	ctx := context.Background()
	httpClient, err := trustOnly(caCertificate)
	if err != nil {
		return err
	}
	auth := authServer{
		httpClient:   httpClient,
		url:          authURL,
		clientID:     clientID,
		clientSecret: clientSecret,
	}
	tokens, err := auth.requestToken(ctx, url.Values{
		"grant_type": {"password"},
		"scope":      {"core"},
		"username":   {username},
		"password":   {password},
	})
	if err != nil {
		return err
	}
	// end
	expect("logged in", tokens.AccessToken != "")

	// sample: token
	configuration := loanservicing.NewConfiguration()
	configuration.Servers = loanservicing.ServerConfigurations{{URL: apiURL}}
	configuration.HTTPClient = httpClient
	client := loanservicing.NewAPIClient(configuration)

	// Each call takes the token from its context.
	ctx = context.WithValue(ctx, loanservicing.ContextAccessToken, tokens.AccessToken)
	loan, _, err := client.LoansAPI.GetLoan(ctx, 1).Execute()
	if err != nil {
		return err
	}
	// end
	expect("read loan "+loan.LoanNumber, loan.LoanID == 1)

	// sample: find
	found, _, err := client.LoansAPI.ListLoans(ctx).LoanNumber("L-000001").Execute()
	if err != nil {
		return err
	}
	// end
	expect("found it by its number", len(found) == 1 && found[0].LoanID == 1)

	// sample: repeating
	// Store the key with the payment. If no response comes, send both again, even after a
	// restart of your program.
	key := "example-go-1"
	payment := loanservicing.NewNewPayment("10.07")
	payment.SetExcessHandling(loanservicing.EXCESSHANDLING_SUSPENSE)
	request := client.LoansAPI.PostPayment(ctx, 1).NewPayment(*payment).IdempotencyKey(key)
	posted, response, err := request.Execute()
	for attempt := 1; attempt < 5 && err != nil; attempt++ {
		pause, again := pauseBeforeRetry(response)
		if !again {
			break
		}
		time.Sleep(pause)
		posted, response, err = request.Execute()
	}
	if err != nil {
		return err
	}
	// end
	amount := posted[0].TransactionAmount
	expect("posted "+amount, amount == "10.07")
	everything, err := transactions(ctx, client)
	if err != nil {
		return err
	}
	again, response, err := request.Execute()
	if err != nil {
		return err
	}
	afterwards, err := transactions(ctx, client)
	if err != nil {
		return err
	}
	expect("posted it once", response.Header.Get("Idempotency-Replayed") == "true" &&
		reflect.DeepEqual(again, posted) && reflect.DeepEqual(afterwards, everything))

	// sample: paging
	var rows []loanservicing.LoanTransaction
	list := client.LoansAPI.ListTransactions(ctx, 1).Limit(2)
	for {
		page, response, err := list.Execute()
		if err != nil {
			return err
		}
		rows = append(rows, page...)
		after, err := nextPage(response)
		if err != nil {
			return err
		}
		if after == "" {
			break
		}
		list = list.After(after)
	}

	// end
	step := fmt.Sprintf("listed %d transactions in pages of 2", len(rows))
	expect(step, len(rows) > 2 && reflect.DeepEqual(rows, everything))

	folder, err := os.MkdirTemp("", "main-job")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	scan, contacts := filepath.Join(folder, "scan.png"), filepath.Join(folder, "contacts.xml")
	if err := os.WriteFile(scan, scanned(), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(contacts, []byte(contact), 0o600); err != nil {
		return err
	}

	// sample: upload
	file, err := os.Open(scan)
	if err != nil {
		return err
	}
	defer file.Close()
	document, _, err := client.CommentsAPI.CreateLoanCommentDocument(ctx, 1).
		File(file).
		Name("A scan").
		IdempotencyKey("example-go-scan").
		Execute()
	if err != nil {
		return err
	}

	// This creates a temporary file.
	content, _, err := client.FilesAPI.DownloadFile(ctx, document.Files[0].FileID).Execute()
	if err != nil {
		return err
	}
	defer os.Remove(content.Name())
	defer content.Close()
	// end
	uploaded := document.Files[0]
	expect("uploaded "+uploaded.FileName, uploaded.SizeBytes == int64(len(scanned())))
	downloaded, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	expect("downloaded the same bytes", bytes.Equal(downloaded, scanned()))

	// sample: imports
	records, err := os.Open(contacts)
	if err != nil {
		return err
	}
	defer records.Close()
	result, _, err := client.ImportAPI.ImportXml(ctx).
		Test(false).
		Body(records).
		IdempotencyKey("example-go-contacts").
		Execute()
	if err != nil {
		return err
	}
	for _, record := range result.Records {
		fmt.Println(record.Line, record.Element, record.Action)
	}
	// end
	expect("imported a contact", result.Committed && result.Failed == 0)
	borrowers, _, err := client.ContactsAPI.ListContacts(ctx).ContactNumber("C-GO").Execute()
	if err != nil {
		return err
	}
	expect("found it", len(borrowers) == 1 && borrowers[0].GetLastName1() == "Pher")

	first := tokens
	// sample: sessions
	// Before tokens.ExpiresIn seconds have passed. Keep both tokens of the response.
	tokens, err = auth.requestToken(ctx, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {tokens.RefreshToken},
	})
	if err != nil {
		return err
	}
	ctx = context.WithValue(ctx, loanservicing.ContextAccessToken, tokens.AccessToken)

	// end
	if _, _, err := client.LoansAPI.GetLoan(ctx, 1).Execute(); err != nil {
		return err
	}
	expect("refreshed", tokens.AccessToken != first.AccessToken &&
		tokens.RefreshToken != first.RefreshToken)

	_, _, err = client.LoansAPI.GetLoan(ctx, 999_999_999).Execute()
	expectProblem(err, "not-found")
	// sample: errors
	_, _, err = client.LoansAPI.PostPayment(ctx, 1).
		NewPayment(*loanservicing.NewNewPayment("0.00")).
		Execute()
	problem := problemOf(err)
	if problem != nil && problem.Type == "urn:problem-type:core:amount-not-positive" {
		fmt.Printf("%s (request %s)\n", problem.Title, problem.RequestId)
		for _, fault := range problem.Errors {
			fmt.Println(fault.Field, fault.Message)
		}
	} else if err != nil {
		return err
	}

	// end
	expectProblem(err, "amount-not-positive")

	// sample: sessions
	logOut, err := http.NewRequestWithContext(ctx, http.MethodPost, authURL+"/logout", nil)
	if err != nil {
		return err
	}
	logOut.Header.Set("Authorization", "Bearer "+tokens.AccessToken)
	ended, err := httpClient.Do(logOut)
	if err != nil {
		return err
	}
	ended.Body.Close()
	// end
	_, _, err = client.LoansAPI.GetLoan(ctx, 1).Execute()
	expectProblem(err, "token-invalid")
	expect("logged out", ended.StatusCode == http.StatusNoContent)
	return nil
}

// sample: log-in

type authServer struct {
	httpClient   *http.Client
	url          string
	clientID     string
	clientSecret string
}

type tokenResponse struct {
	AccessToken  string `json:"access_token"`
	RefreshToken string `json:"refresh_token"`
	ExpiresIn    int    `json:"expires_in"`
}

// requestToken logs in or refreshes.
func (auth authServer) requestToken(ctx context.Context, form url.Values) (*tokenResponse, error) {
	body := strings.NewReader(form.Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, auth.url+"/oauth2/token", body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(url.QueryEscape(auth.clientID), url.QueryEscape(auth.clientSecret))
	response, err := auth.httpClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("no token: %s: %s", response.Status, text)
	}
	var tokens tokenResponse
	if err := json.Unmarshal(text, &tokens); err != nil {
		return nil, err
	}
	return &tokens, nil
}

// trustOnly is needed only if the certificates are from your own CA.
func trustOnly(caCertificate string) (*http.Client, error) {
	pem, err := os.ReadFile(caCertificate)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("no certificate in %s", caCertificate)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: authorities}
	return &http.Client{Transport: transport}, nil
}

// end

// sample: repeating

// pauseBeforeRetry tells whether to send a refused request again, and after how long: without a
// response, or if the response says so.
func pauseBeforeRetry(response *http.Response) (time.Duration, bool) {
	if response == nil {
		return time.Second, true
	}
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	return time.Duration(seconds) * time.Second, err == nil
}

// end

// sample: paging
var nextLink = regexp.MustCompile(`<([^>]*)>; *rel="next"`)

// nextPage returns the cursor of the next page, from the header Link; "" after the last page.
func nextPage(response *http.Response) (string, error) {
	link := nextLink.FindStringSubmatch(response.Header.Get("Link"))
	if link == nil {
		return "", nil
	}
	next, err := url.Parse(link[1])
	if err != nil {
		return "", err
	}
	return next.Query().Get("after"), nil
}

// end

// sample: errors
// problemOf returns the problem that a request was refused with; nil if there is none.
func problemOf(err error) *loanservicing.Problem {
	var refused *loanservicing.GenericOpenAPIError
	if errors.As(err, &refused) {
		if problem, ok := refused.Model().(loanservicing.Problem); ok {
			return &problem
		}
	}
	return nil
}

// end

func transactions(
	ctx context.Context, client *loanservicing.APIClient,
) ([]loanservicing.LoanTransaction, error) {
	rows, _, err := client.LoansAPI.ListTransactions(ctx, 1).Limit(1000).Execute()
	return rows, err
}

// scanned is what a PNG begins with, then every byte there is: nothing may read this as text.
func scanned() []byte {
	content := []byte("\x89PNG\r\n\x1a\n")
	for value := range 256 {
		content = append(content, byte(value))
	}
	return content
}

func expectProblem(err error, kind string) {
	problem := problemOf(err)
	expect("read "+kind, problem != nil && problem.Type == "urn:problem-type:core:"+kind)
}

func expect(step string, holds bool) {
	if !holds {
		log.Fatal("failed: " + step)
	}
	fmt.Println(step)
}
