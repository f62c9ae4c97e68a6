// What an integration does with the API, by the client that `openapi-generator -g java` makes.
//
// Written to be read and copied: `MainJob quickstart.json`. It prints a line per step and ends at
// the first one that fails.

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
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.ApiResponse;
import org.openapitools.client.api.CommentsApi;
import org.openapitools.client.api.FilesApi;
import org.openapitools.client.api.LoansApi;
import org.openapitools.client.model.Document;
import org.openapitools.client.model.ExcessHandling;
import org.openapitools.client.model.Loan;
import org.openapitools.client.model.LoanTransaction;
import org.openapitools.client.model.NewPayment;
import org.openapitools.client.model.Problem;

public final class MainJob {
    private static final ObjectMapper JSON = ApiClient.createDefaultObjectMapper();
    private static final Pattern NEXT = Pattern.compile("[?&]after=([^&>]*)");

    private interface Call {
        Object make() throws ApiException;
    }

    public static void main(String[] arguments) throws Exception {
        JsonNode quickstart = JSON.readTree(new File(arguments[0]));
        SSLContext trust = trustOnly(Path.of(quickstart.get("ca_certificate").asText()));
        HttpClient http = HttpClient.newBuilder().sslContext(trust).build();
        String token = logIn(http, quickstart, "admin");
        expect("logged in", !token.isEmpty());

        ApiClient client = new ApiClient();
        client.setHttpClientBuilder(HttpClient.newBuilder().sslContext(trust));
        client.updateBaseUri(quickstart.get("api_url").asText());
        client.setRequestInterceptor(
                request -> request.header("Authorization", "Bearer " + token));
        LoansApi loans = new LoansApi(client);

        Loan loan = loans.getLoan(1L);
        expect("read loan " + loan.getLoanNumber(), loan.getLoanID() == 1);

        NewPayment payment =
                new NewPayment().amount("10.07").excessHandling(ExcessHandling.SUSPENSE);
        String key = UUID.randomUUID().toString();
        var posted = loans.postPaymentWithHttpInfo(1L, payment, null, key);
        String amount = posted.getData().get(0).getTransactionAmount();
        expect("posted " + amount, posted.getStatusCode() == 201 && amount.equals("10.07"));
        var repeated = loans.postPaymentWithHttpInfo(1L, payment, null, key);
        expect(
                "posted it once",
                repeated.getData().equals(posted.getData())
                        && header(repeated, "Idempotency-Replayed").equals(Optional.of("true")));

        List<LoanTransaction> whole =
                loans.listTransactions(1L, null, null, null, null, 1000, null, null);
        expect(
                "listed " + whole.size() + " transactions in pages of 2",
                whole.size() > 2 && allTransactions(loans, 1L, 2).equals(whole));

        byte[] scan = scan();
        Path path = Files.createTempFile("scan", ".png");
        Files.write(path, scan);
        Document document =
                new CommentsApi(client)
                        .createLoanCommentDocument(1L, path.toFile(), null, "A scan", null);
        Files.delete(path);
        var file = document.getFiles().get(0);
        expect("uploaded " + file.getFileName(), file.getSizeBytes() == scan.length);
        File download = new FilesApi(client).downloadFile(file.getFileID(), null, null, null, null);
        expect(
                "downloaded the same bytes",
                Arrays.equals(Files.readAllBytes(download.toPath()), scan));

        Problem problem = problemOf(() -> loans.getLoan(999_999_999L));
        expect(
                "read " + problem.getType(),
                problem.getType().equals("urn:problem-type:core:not-found"));
        NewPayment nothing = new NewPayment().amount("0.00");
        problem = problemOf(() -> loans.postPayment(1L, nothing, null, null));
        expect(
                "read " + problem.getType(),
                problem.getStatus() == 422
                        && problem.getErrors().get(0).getField().equals("Amount"));

        URI logOut = URI.create(quickstart.get("auth_url").asText() + "/logout");
        send(http, HttpRequest.newBuilder(logOut).header("Authorization", "Bearer " + token), "");
        problem = problemOf(() -> loans.getLoan(1L));
        expect(
                "logged out",
                problem.getStatus() == 401
                        && problem.getType().equals("urn:problem-type:core:token-invalid"));
    }

    /** Trusts the quickstart's own authority and no other. */
    private static SSLContext trustOnly(Path certificate) throws Exception {
        KeyStore authorities = KeyStore.getInstance(KeyStore.getDefaultType());
        authorities.load(null);
        try (InputStream pem = Files.newInputStream(certificate)) {
            var authority = CertificateFactory.getInstance("X.509").generateCertificate(pem);
            authorities.setCertificateEntry("quickstart", authority);
        }
        var managers =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(authorities);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        return context;
    }

    /** The auth server is no part of the API's document: plain HTTP of the language. */
    private static String logIn(HttpClient http, JsonNode quickstart, String name)
            throws Exception {
        JsonNode client = quickstart.get("clients").get("integration");
        JsonNode user = quickstart.get("users").get(name);
        String proof = client.get("client_id").asText() + ":" + client.get("client_secret").asText();
        String form =
                "grant_type=password&scope=core&username="
                        + URLEncoder.encode(user.get("username").asText(), StandardCharsets.UTF_8)
                        + "&password="
                        + URLEncoder.encode(user.get("password").asText(), StandardCharsets.UTF_8);
        URI url = URI.create(quickstart.get("auth_url").asText() + "/oauth2/token");
        HttpRequest.Builder request =
                HttpRequest.newBuilder(url)
                        .header(
                                "Authorization",
                                "Basic " + Base64.getEncoder().encodeToString(proof.getBytes()))
                        .header("Content-Type", "application/x-www-form-urlencoded");
        return JSON.readTree(send(http, request, form)).get("access_token").asText();
    }

    private static String send(HttpClient http, HttpRequest.Builder request, String body)
            throws Exception {
        HttpRequest post = request.POST(HttpRequest.BodyPublishers.ofString(body)).build();
        var answer = http.send(post, BodyHandlers.ofString());
        if (answer.statusCode() >= 300) {
            throw new IOException(post.uri() + " answers " + answer.statusCode());
        }
        return answer.body();
    }

    /** Page by page: the header {@code Link} of each has the cursor of the next one. */
    private static List<LoanTransaction> allTransactions(LoansApi loans, long loanId, int size)
            throws ApiException {
        List<LoanTransaction> found = new ArrayList<>();
        String after = null;
        while (true) {
            var page =
                    loans.listTransactionsWithHttpInfo(loanId, null, null, null, null, size, after, null);
            found.addAll(page.getData());
            Matcher next = NEXT.matcher(header(page, "Link").orElse(""));
            if (!next.find()) {
                return found;
            }
            after = URLDecoder.decode(next.group(1), StandardCharsets.UTF_8);
        }
    }

    /** The names of headers are small letters over HTTP/2. */
    private static Optional<String> header(ApiResponse<?> answer, String name) {
        return answer.getHeaders().entrySet().stream()
                .filter(header -> header.getKey().equalsIgnoreCase(name))
                .map(header -> header.getValue().get(0))
                .findFirst();
    }

    /** The problem document that a call is refused with. */
    private static Problem problemOf(Call call) throws IOException {
        try {
            call.make();
        } catch (ApiException refused) {
            return JSON.readValue(refused.getResponseBody(), Problem.class);
        }
        throw new IllegalStateException("nothing was refused");
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
