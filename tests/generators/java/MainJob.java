// What an integration does with the API, by the client that `openapi-generator -g java` makes.
//
// Written to be read and copied: `MainJob quickstart.json`. It prints a line per step and ends at
// the first one that fails. The documentation page shows its samples.

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
// sample: token
import org.openapitools.client.ApiClient;
// end
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.CommentsApi;
import org.openapitools.client.api.ContactsApi;
import org.openapitools.client.api.FilesApi;
// sample: token
import org.openapitools.client.api.LoansApi;
// end
import org.openapitools.client.model.ContactSummary;
import org.openapitools.client.model.Document;
import org.openapitools.client.model.ExcessHandling;
import org.openapitools.client.model.FieldError;
import org.openapitools.client.model.ImportResult;
// sample: token
import org.openapitools.client.model.Loan;

// end
import org.openapitools.client.model.LoanSummary;
import org.openapitools.client.model.LoanTransaction;
import org.openapitools.client.model.NewPayment;
import org.openapitools.client.model.Problem;
import org.openapitools.client.model.RecordResult;

public final class MainJob {
    private static final String CONTACT =
            "<Core CommitBlock=\"1\"><Contact ContactNumber=\"C-JV\" ContactTypeCode=\"BORROWER\"\n"
                    + "    EntityCode=\"INDIVIDUAL\" ShortName=\"JV\" FirstName1=\"Jay\""
                    + " LastName1=\"Vee\"/></Core>";

    private final String apiUrl;
    private final String authUrl;
    private final String clientId;
    private final String clientSecret;
    // sample: log-in
    private final HttpClient.Builder connections;
    private final HttpClient http;
    private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();
    private String accessToken;
    private String refreshToken;

    // end

    // sample: repeating
    private interface Call<T> {
        T make() throws ApiException;
    }

    // end

    public static void main(String[] arguments) throws Exception {
        JsonNode quickstart = JSON.readTree(new File(arguments[0]));
        JsonNode admin = quickstart.get("users").get("admin");
        new MainJob(quickstart)
                .run(admin.get("username").asText(), admin.get("password").asText());
    }

    private MainJob(JsonNode quickstart) throws Exception {
        JsonNode client = quickstart.get("clients").get("integration");
        apiUrl = quickstart.get("api_url").asText();
        authUrl = quickstart.get("auth_url").asText();
        clientId = client.get("client_id").asText();
        clientSecret = client.get("client_secret").asText();
        String caCertificate = quickstart.get("ca_certificate").asText();
        // sample: log-in
        connections = HttpClient.newBuilder().sslContext(trustOnly(Path.of(caCertificate)));
        http = connections.build();
        // end
    }

    private void run(String username, String password) throws Exception {
        // sample: log-in
        requestToken(
                Map.of(
                        "grant_type", "password",
                        "scope", "core",
                        "username", username,
                        "password", password));
        // end
        expect("logged in", !accessToken.isEmpty());

        // sample: token
        // The interceptor reads the field for each request, so that it sends the latest token.
        ApiClient client = new ApiClient(connections, JSON, apiUrl);
        client.setRequestInterceptor(
                request -> request.header("Authorization", "Bearer " + accessToken));
        LoansApi loans = new LoansApi(client);
        Loan loan = loans.getLoan(1L);
        // end
        expect("read loan " + loan.getLoanNumber(), loan.getLoanID() == 1);

        // sample: find
        List<LoanSummary> found =
                loans.listLoans(
                        LoansApi.APIListLoansRequest.newBuilder().loanNumber("L-000001").build());
        // end
        expect("found it by its number", found.size() == 1 && found.get(0).getLoanID() == 1);

        // sample: repeating
        // Store the key with the payment. If no response comes, send both again, even after a
        // restart of your program.
        String key = "example-java-1";
        NewPayment payment =
                new NewPayment().amount("10.07").excessHandling(ExcessHandling.SUSPENSE);
        var once =
                LoansApi.APIPostPaymentRequest.newBuilder()
                        .loanId(1L)
                        .newPayment(payment)
                        .idempotencyKey(key)
                        .build();
        List<LoanTransaction> posted = untilAnswered(() -> loans.postPayment(once));
        // end
        String amount = posted.get(0).getTransactionAmount();
        expect("posted " + amount, amount.equals("10.07"));
        List<LoanTransaction> everything = transactions(loans);
        var repeated = loans.postPaymentWithHttpInfo(once);
        expect(
                "posted it once",
                repeated.getData().equals(posted)
                        && repeated.getHeaders()
                                .get("Idempotency-Replayed")
                                .equals(List.of("true"))
                        && transactions(loans).equals(everything));

        // sample: paging
        List<LoanTransaction> rows = new ArrayList<>();
        String after = null;
        do {
            var page =
                    loans.listTransactionsWithHttpInfo(
                            LoansApi.APIListTransactionsRequest.newBuilder()
                                    .loanId(1L)
                                    .limit(2)
                                    .after(after)
                                    .build());
            rows.addAll(page.getData());
            after = nextPage(page);
        } while (after != null);

        // end
        expect(
                "listed " + rows.size() + " transactions in pages of 2",
                rows.size() > 2 && rows.equals(everything));

        byte[] bytes = scan();
        File scan = temporaryFile("scan.png", bytes);
        // sample: upload
        Document document =
                new CommentsApi(client)
                        .createLoanCommentDocument(
                                CommentsApi.APICreateLoanCommentDocumentRequest.newBuilder()
                                        .commentId(1L)
                                        ._file(scan)
                                        .name("A scan")
                                        .idempotencyKey("example-java-scan")
                                        .build());
        Long fileId = document.getFiles().get(0).getFileID();
        File content =
                new FilesApi(client)
                        .downloadFile(
                                FilesApi.APIDownloadFileRequest.newBuilder()
                                        .fileId(fileId)
                                        .build());
        // end
        var file = document.getFiles().get(0);
        expect("uploaded " + file.getFileName(), file.getSizeBytes() == bytes.length);
        expect(
                "downloaded the same bytes",
                Arrays.equals(Files.readAllBytes(content.toPath()), bytes));

        File contacts =
                temporaryFile("contacts.xml", CONTACT.getBytes(StandardCharsets.UTF_8));
        // sample: imports
        // The generated importXml would send the file as JSON.
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(apiUrl + "/core/xml-import?test=false"))
                        .header("Authorization", "Bearer " + accessToken)
                        .header("Content-Type", "application/xml")
                        .header("Idempotency-Key", "example-java-contacts")
                        .timeout(Duration.ofMinutes(10))
                        .POST(BodyPublishers.ofFile(contacts.toPath()))
                        .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("the import was refused: " + response.body());
        }
        ImportResult result = JSON.readValue(response.body(), ImportResult.class);
        for (RecordResult record : result.getRecords()) {
            System.out.println(
                    record.getLine() + " " + record.getElement() + " " + record.getAction());
        }
        // end
        expect("imported a contact", result.getCommitted() && result.getFailed() == 0);
        List<ContactSummary> borrowers =
                new ContactsApi(client)
                        .listContacts(
                                ContactsApi.APIListContactsRequest.newBuilder()
                                        .contactNumber("C-JV")
                                        .build());
        expect(
                "found it",
                borrowers.size() == 1 && borrowers.get(0).getLastName1().equals("Vee"));

        String firstAccessToken = accessToken;
        String firstRefreshToken = refreshToken;
        // sample: sessions
        // Before expires_in seconds have passed. Keep both tokens of the response.
        requestToken(Map.of("grant_type", "refresh_token", "refresh_token", refreshToken));

        // end
        expect(
                "refreshed",
                !accessToken.equals(firstAccessToken)
                        && !refreshToken.equals(firstRefreshToken)
                        && loans.getLoan(1L).getLoanID() == 1);

        Problem missing = refusalOf(() -> loans.getLoan(999_999_999L));
        expect(
                "read " + missing.getType(),
                missing.getType().equals("urn:problem-type:core:not-found"));
        Problem problem = null;
        // sample: errors
        try {
            loans.postPayment(
                    LoansApi.APIPostPaymentRequest.newBuilder()
                            .loanId(1L)
                            .newPayment(new NewPayment().amount("0.00"))
                            .build());
        } catch (ApiException refused) {
            problem = problemOf(refused);
            if (!problem.getType().equals("urn:problem-type:core:amount-not-positive")) {
                throw refused;
            }
            System.out.println(problem.getTitle() + " (request " + problem.getRequestId() + ")");
            for (FieldError fault : problem.getErrors()) {
                System.out.println(fault.getField() + " " + fault.getMessage());
            }
        }

        // end
        expect(
                "read " + problem.getType(),
                problem.getStatus() == 422
                        && problem.getErrors().get(0).getField().equals("Amount"));

        // sample: sessions
        HttpRequest logOut =
                HttpRequest.newBuilder(URI.create(authUrl + "/logout"))
                        .header("Authorization", "Bearer " + accessToken)
                        .POST(BodyPublishers.noBody())
                        .build();
        http.send(logOut, BodyHandlers.discarding());
        // end
        Problem ended = refusalOf(() -> loans.getLoan(1L));
        expect(
                "logged out",
                ended.getStatus() == 401
                        && ended.getType().equals("urn:problem-type:core:token-invalid"));
    }

    // sample: log-in

    /** Logs in or refreshes, and keeps the tokens. */
    private void requestToken(Map<String, String> form) throws IOException, InterruptedException {
        String client = encode(clientId) + ":" + encode(clientSecret);
        String basic = Base64.getEncoder().encodeToString(client.getBytes(StandardCharsets.UTF_8));
        String body =
                form.entrySet().stream()
                        .map(field -> field.getKey() + "=" + encode(field.getValue()))
                        .collect(Collectors.joining("&"));
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(authUrl + "/oauth2/token"))
                        .header("Authorization", "Basic " + basic)
                        .header("Content-Type", "application/x-www-form-urlencoded")
                        .POST(BodyPublishers.ofString(body))
                        .build();
        HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("no token: " + response.body());
        }
        JsonNode tokens = JSON.readTree(response.body());
        accessToken = tokens.get("access_token").asText();
        refreshToken = tokens.path("refresh_token").asText(null);
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    /** Only if the certificates are from your own CA. */
    private static SSLContext trustOnly(Path caCertificate)
            throws IOException, GeneralSecurityException {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null, null);
        try (InputStream pem = Files.newInputStream(caCertificate)) {
            var authority = CertificateFactory.getInstance("X.509").generateCertificate(pem);
            authorities.setCertificateEntry("authority", authority);
        }
        var managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(authorities);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }
    // end

    // sample: repeating
    /** Sends a request again if there was no response, or if the response says so. */
    private static <T> T untilAnswered(Call<T> call) throws ApiException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            try {
                return call.make();
            } catch (ApiException refused) {
                Optional<String> pause =
                        refused.getResponseHeaders() == null
                                ? Optional.of("1")
                                : refused.getResponseHeaders().firstValue("Retry-After");
                if (attempt == 5 || pause.isEmpty()) {
                    throw refused;
                }
                Thread.sleep(Long.parseLong(pause.get()) * 1000);
            }
        }
    }
    // end

    // sample: paging
    private static final Pattern AFTER =
            Pattern.compile("<[^>]*[?&]after=([^&>]*)[^>]*>; *rel=\"next\"");

    /** The cursor of the next page, from the header {@code Link}; null after the last page. */
    private static String nextPage(ApiResponse<?> page) {
        List<String> links = page.getHeaders().getOrDefault("Link", List.of());
        Matcher next = AFTER.matcher(String.join(",", links));
        return next.find() ? URLDecoder.decode(next.group(1), StandardCharsets.UTF_8) : null;
    }
    // end

    // sample: errors
    /** The problem that a request was refused with. */
    private static Problem problemOf(ApiException refused) throws ApiException, IOException {
        if (refused.getResponseBody() == null) {
            throw refused; // there was no response
        }
        return JSON.readValue(refused.getResponseBody(), Problem.class);
    }
    // end

    private static Problem refusalOf(Call<?> call) throws ApiException, IOException {
        try {
            call.make();
        } catch (ApiException refused) {
            return problemOf(refused);
        }
        throw new IllegalStateException("nothing was refused");
    }

    private static List<LoanTransaction> transactions(LoansApi loans) throws ApiException {
        return loans.listTransactions(
                LoansApi.APIListTransactionsRequest.newBuilder().loanId(1L).limit(1000).build());
    }

    private static File temporaryFile(String name, byte[] bytes) throws IOException {
        Path folder = Files.createTempDirectory("main-job");
        Path file = Files.write(folder.resolve(name), bytes);
        folder.toFile().deleteOnExit();
        file.toFile().deleteOnExit();
        return file.toFile();
    }

    /** What a PNG begins with, then every byte there is: nothing may read this as text. */
    private static byte[] scan() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.writeBytes(new byte[] {(byte) 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
        for (int value = 0; value < 256; value++) {
            bytes.write(value);
        }
        return bytes.toByteArray();
    }

    private static void expect(String step, boolean holds) {
        if (!holds) {
            System.err.println("failed: " + step);
            System.exit(1);
        }
        System.out.println(step);
    }
}
