// What an integration does with the API, by the client that `openapi-generator -g csharp` makes.
//
// Written to be read and copied: `MainJob quickstart.json`. It prints a line per step and ends at
// the first one that fails. The documentation page shows its samples.

// sample: log-in
using System.Net.Http.Headers;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using System.Text;
using System.Text.Json.Nodes;
using LoanServicing; // the generated client
using LoanServicing.Client;

// end
// sample: token
using System.Text.Json.Serialization;
using LoanServicing.Api;
using LoanServicing.Extensions;
using LoanServicing.Model;
using Microsoft.Extensions.DependencyInjection;

// end
using System.Net;
using System.Text.Json;
using System.Text.RegularExpressions;

internal sealed class MainJob
{
    private const string Contact =
        """
        <Core CommitBlock="1"><Contact ContactNumber="C-CS" ContactTypeCode="BORROWER"
            EntityCode="INDIVIDUAL" ShortName="CS" FirstName1="Cee" LastName1="Sharp"/></Core>
        """;

    private readonly Session session;
    private readonly ServiceProvider services;
    private readonly ILoansApi loans;

    private static async Task Main(string[] arguments)
    {
        JsonNode quickstart = JsonNode.Parse(await File.ReadAllTextAsync(arguments[0]))!;
        JsonNode client = quickstart["clients"]!["integration"]!;
        JsonNode admin = quickstart["users"]!["admin"]!;
        var apiUrl = (string)quickstart["api_url"]!;
        var authUrl = (string)quickstart["auth_url"]!;
        var clientId = (string)client["client_id"]!;
        var clientSecret = (string)client["client_secret"]!;
        var caCertificate = (string)quickstart["ca_certificate"]!;
        var username = (string)admin["username"]!;
        var password = (string)admin["password"]!;
        // sample: log-in
        var http = new HttpClient(Session.TrustOnly(caCertificate));
        var session = new Session(http, authUrl, clientId, clientSecret);
        await session.RequestToken(new()
        {
            ["grant_type"] = "password",
            ["scope"] = "core",
            ["username"] = username,
            ["password"] = password,
        });

        // end
        Expect("logged in", session.AccessToken != "");
        await new MainJob(session, apiUrl, caCertificate).Run();
    }

    private MainJob(Session session, string apiUrl, string caCertificate)
    {
        this.session = session;
        // sample: token
        var clients = new ServiceCollection();
        clients.AddSingleton<TokenProvider<BearerToken>>(session);
        clients.AddApi(options =>
        {
            options.AddApiHttpClients(
                client =>
                {
                    client.BaseAddress = new Uri(apiUrl);
                    client.Timeout = TimeSpan.FromMinutes(10); // long enough for an import
                },
                builder => builder.ConfigurePrimaryHttpMessageHandler(
                    () => Session.TrustOnly(caCertificate)));
            // Else it would read lists of enum members, whose values it does not know.
            options.ConfigureJsonOptions(json => json.Converters.Remove(
                json.Converters.First(converter => converter is JsonStringEnumConverter)));
        });
        ServiceProvider services = clients.BuildServiceProvider();

        // end
        this.services = services;
        loans = services.GetRequiredService<ILoansApi>();
    }

    private async Task Run()
    {
        await ReadLoans();
        await PostOnce();
        await UploadAndDownload();
        await Import();
        await Refresh();
        await ReadProblems();
        await LogOut();
    }

    private async Task ReadLoans()
    {
        // sample: token
        var loans = services.GetRequiredService<ILoansApi>();
        IGetLoanApiResponse response = await loans.GetLoanAsync(1);
        Loan loan = response.Ok() ?? throw Refusal(response);

        // end
        Expect("read loan " + loan.LoanNumber, loan.LoanID == 1);

        // sample: find
        IListLoansApiResponse listed = await loans.ListLoansAsync(loanNumber: "L-000001");
        List<LoanSummary> found = listed.Ok() ?? throw Refusal(listed);
        // end
        Expect("found it by its number", found.Count == 1 && found[0].LoanID == 1);
    }

    private async Task PostOnce()
    {
        // sample: repeating
        // Store the key with the payment. If no response comes, send both again, even after a
        // restart of your program.
        string key = "example-csharp-1";
        var payment = new NewPayment("10.07") { ExcessHandling = ExcessHandling.Suspense };
        IPostPaymentApiResponse response = await UntilAnswered(
            () => loans.PostPaymentAsync(1, payment, idempotencyKey: key));
        List<LoanTransaction> posted = response.Created() ?? throw Refusal(response);
        // end
        string amount = posted[0].TransactionAmount;
        Expect("posted " + amount, amount == "10.07");
        string everything = Text(await Transactions());
        IPostPaymentApiResponse repeated =
            await loans.PostPaymentAsync(1, payment, idempotencyKey: key);
        Expect(
            "posted it once",
            repeated.RawContent == response.RawContent
                && repeated.Headers.GetValues("Idempotency-Replayed").Single() == "true"
                && Text(await Transactions()) == everything);

        // sample: paging
        List<LoanTransaction> rows = [];
        IListTransactionsApiResponse page = await loans.ListTransactionsAsync(1, limit: 2);
        rows.AddRange(page.Ok() ?? throw Refusal(page));
        while (NextPage(page) is string after)
        {
            page = await loans.ListTransactionsAsync(1, limit: 2, after: after);
            rows.AddRange(page.Ok() ?? throw Refusal(page));
        }

        // end
        Expect(
            $"listed {rows.Count} transactions in pages of 2",
            rows.Count > 2 && Text(rows) == everything);
    }

    private async Task UploadAndDownload()
    {
        byte[] bytes = Scan();
        string path = await TemporaryFile("scan.png", bytes);
        // sample: upload
        // Sending a file closes its stream: to repeat the request, open the file again.
        var scan = new FileParameter(File.OpenRead(path), "scan.png", "image/png");
        var comments = services.GetRequiredService<ICommentsApi>();
        ICreateLoanCommentDocumentApiResponse created =
            await comments.CreateLoanCommentDocumentAsync(
                1, scan, idempotencyKey: "example-csharp-scan", name: "A scan");
        Document document = created.Created() ?? throw Refusal(created);
        var files = services.GetRequiredService<IFilesApi>();
        IDownloadFileApiResponse downloaded =
            await files.DownloadFileAsync(document.Files[0].FileID);
        Stream content = downloaded.Ok() ?? throw Refusal(downloaded);
        // end
        DocumentFile file = document.Files[0];
        Expect("uploaded " + file.FileName, file.SizeBytes == bytes.Length);
        var copy = new MemoryStream();
        await content.CopyToAsync(copy);
        Expect("downloaded the same bytes", copy.ToArray().SequenceEqual(bytes));
    }

    private async Task Import()
    {
        string path = await TemporaryFile("contacts.xml", Encoding.UTF8.GetBytes(Contact));
        // sample: imports
        var import = services.GetRequiredService<IImportApi>();
        IImportXmlApiResponse response = await import.ImportXmlAsync(
            test: false,
            new FileParameter(File.OpenRead(path)),
            idempotencyKey: "example-csharp-contacts");
        ImportResult result = response.Ok() ?? throw Refusal(response);
        foreach (RecordResult record in result.Records)
        {
            string action = RecordActionValueConverter.ToJsonValue(record.Action);
            Console.WriteLine($"{record.Line} {record.Element} {action}");
        }

        // end
        Expect("imported a contact", result.Committed && result.Failed == 0);
        var contacts = services.GetRequiredService<IContactsApi>();
        IListContactsApiResponse listed = await contacts.ListContactsAsync(contactNumber: "C-CS");
        List<ContactSummary> borrowers = listed.Ok() ?? throw Refusal(listed);
        Expect("found it", borrowers.Count == 1 && borrowers[0].LastName1 == "Sharp");
    }

    private async Task Refresh()
    {
        string firstAccessToken = session.AccessToken;
        string? firstRefreshToken = session.RefreshToken;
        // sample: sessions
        // Before expires_in seconds have passed. Keep both tokens of the response.
        await session.RequestToken(new()
        {
            ["grant_type"] = "refresh_token",
            ["refresh_token"] = session.RefreshToken!,
        });

        // end
        Expect(
            "refreshed",
            session.AccessToken != firstAccessToken
                && session.RefreshToken != firstRefreshToken
                && (await loans.GetLoanAsync(1)).IsOk);
    }

    private async Task ReadProblems()
    {
        Problem missing = ProblemOf(await loans.GetLoanAsync(999_999_999));
        Expect("read " + missing.Type, missing.Type == "urn:problem-type:core:not-found");

        // sample: errors
        IPostPaymentApiResponse response = await loans.PostPaymentAsync(1, new NewPayment("0.00"));
        if (!response.IsSuccessStatusCode)
        {
            Problem problem = ProblemOf(response);
            if (problem.Type != "urn:problem-type:core:amount-not-positive")
            {
                throw Refusal(response);
            }

            Console.WriteLine($"{problem.Title} (request {problem.RequestId})");
            foreach (FieldError fault in problem.Errors ?? [])
            {
                Console.WriteLine($"{fault.Field} {fault.Message}");
            }
        }

        // end
        Problem refused = ProblemOf(response);
        Expect(
            "read " + refused.Type,
            refused.Status == 422 && refused.Errors?[0].Field == "Amount");
    }

    private async Task LogOut()
    {
        // sample: sessions
        await session.LogOut();

        // end
        Problem ended = ProblemOf(await loans.GetLoanAsync(1));
        Expect(
            "logged out",
            ended.Status == 401 && ended.Type == "urn:problem-type:core:token-invalid");
    }

    // sample: token
    /// <summary>What to throw when a request is refused.</summary>
    private static HttpRequestException Refusal(IApiResponse response) =>
        new(response.RawContent, null, response.StatusCode);
    // end

    // sample: repeating
    /// <summary>
    /// Sends a request again if there was no response, or if the response says so.
    /// </summary>
    private static async Task<T> UntilAnswered<T>(Func<Task<T>> send) where T : IApiResponse
    {
        for (int attempt = 1; ; attempt++)
        {
            TimeSpan pause = TimeSpan.FromSeconds(1);
            try
            {
                T response = await send();
                TimeSpan? asked = response.Headers.RetryAfter?.Delta;
                if (attempt == 5 || asked is null)
                {
                    return response;
                }

                pause = asked.Value;
            }
            catch (Exception lost)
                when (attempt < 5 && lost is HttpRequestException or TaskCanceledException)
            {
                // There was no response.
            }

            await Task.Delay(pause);
        }
    }
    // end

    // sample: paging
    private static readonly Regex After =
        new("<[^>]*[?&]after=([^&>]*)[^>]*>; *rel=\"next\"");

    /// <summary>
    /// The cursor of the next page, from the header <c>Link</c>; null after the last page.
    /// </summary>
    private static string? NextPage(IApiResponse page)
    {
        if (!page.Headers.TryGetValues("Link", out IEnumerable<string>? links))
        {
            return null;
        }

        Match next = After.Match(string.Join(",", links));
        return next.Success ? WebUtility.UrlDecode(next.Groups[1].Value) : null;
    }
    // end

    // sample: errors
    /// <summary>The problem that a request was refused with.</summary>
    private Problem ProblemOf(IApiResponse response)
    {
        var json = services.GetRequiredService<JsonSerializerOptionsProvider>();
        return JsonSerializer.Deserialize<Problem>(response.RawContent, json.Options)!;
    }
    // end

    private async Task<List<LoanTransaction>> Transactions()
    {
        IListTransactionsApiResponse response = await loans.ListTransactionsAsync(1, limit: 1000);
        return response.Ok() ?? throw Refusal(response);
    }

    /// <summary>All members of all rows.</summary>
    private static string Text(List<LoanTransaction> rows) => string.Concat(rows);

    private static async Task<string> TemporaryFile(string name, byte[] bytes)
    {
        string path = Path.Combine(Directory.CreateTempSubdirectory("main-job").FullName, name);
        await File.WriteAllBytesAsync(path, bytes);
        AppDomain.CurrentDomain.ProcessExit +=
            (_, _) => Directory.Delete(Path.GetDirectoryName(path)!, recursive: true);
        return path;
    }

    /// <summary>
    /// What a PNG begins with, then every byte there is: nothing may read this as text.
    /// </summary>
    private static byte[] Scan() =>
        [0x89, .. "PNG\r\n\x1a\n"u8, .. Enumerable.Range(0, 256).Select(value => (byte)value)];

    private static void Expect(string step, bool holds)
    {
        if (!holds)
        {
            Console.Error.WriteLine("failed: " + step);
            Environment.Exit(1);
        }

        Console.WriteLine(step);
    }
}

// sample: log-in
/// <summary>A log-in, whose latest access token is sent with each request.</summary>
internal sealed class Session(HttpClient http, string authUrl, string clientId, string clientSecret)
    : TokenProvider<BearerToken>
{
    public string AccessToken { get; private set; } = "";

    public string? RefreshToken { get; private set; }

    /// <summary>Logs in or refreshes, and keeps the tokens.</summary>
    public async Task RequestToken(Dictionary<string, string> form)
    {
        string client = Uri.EscapeDataString(clientId) + ":" + Uri.EscapeDataString(clientSecret);
        string basic = Convert.ToBase64String(Encoding.UTF8.GetBytes(client));
        using var request = new HttpRequestMessage(HttpMethod.Post, authUrl + "/oauth2/token");
        request.Headers.Authorization = new AuthenticationHeaderValue("Basic", basic);
        request.Content = new FormUrlEncodedContent(form);
        using HttpResponseMessage response = await http.SendAsync(request);
        string text = await response.Content.ReadAsStringAsync();
        if (!response.IsSuccessStatusCode)
        {
            throw new HttpRequestException("no token: " + text, null, response.StatusCode);
        }

        JsonNode tokens = JsonNode.Parse(text)!;
        AccessToken = (string)tokens["access_token"]!;
        RefreshToken = (string?)tokens["refresh_token"];
    }

    // end

    // sample: sessions
    /// <summary>Ends the session. A method of <c>Session</c>.</summary>
    public async Task LogOut()
    {
        using var request = new HttpRequestMessage(HttpMethod.Post, authUrl + "/logout");
        request.Headers.Authorization = new AuthenticationHeaderValue("Bearer", AccessToken);
        using HttpResponseMessage response = await http.SendAsync(request);
        response.EnsureSuccessStatusCode();
    }
    // end

    // sample: log-in
    /// <summary>The client calls this for each request.</summary>
    protected override ValueTask<BearerToken> GetAsync(
        string header, CancellationToken cancellation) => new(new BearerToken(AccessToken));

    /// <summary>Only if the certificates are from your own CA.</summary>
    public static HttpMessageHandler TrustOnly(string caCertificate)
    {
        var policy = new X509ChainPolicy
        {
            TrustMode = X509ChainTrustMode.CustomRootTrust,
            RevocationMode = X509RevocationMode.NoCheck,
        };
        policy.CustomTrustStore.ImportFromPemFile(caCertificate);
        return new SocketsHttpHandler { SslOptions = { CertificateChainPolicy = policy } };
    }
}
// end
