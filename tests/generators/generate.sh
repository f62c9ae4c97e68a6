#!/usr/bin/env bash
# Generates a client: `generate.sh TOOL DOCUMENT FOLDER`. The programs are those of
# tests/clients/install.sh, its `venv/bin` and `node_modules/.bin` first on the PATH.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tool=$1 document=$2 folder=$3

case $tool in
python)
    openapi-generator-cli generate -g python -i "$document" -o "$folder" \
        --additional-properties=packageName=loan_servicing
    ;;
typescript)
    # As Date, 2026-11-29 would be midnight UTC, and still the 28th west of Greenwich.
    openapi-generator-cli generate -g typescript-fetch -i "$document" -o "$folder" \
        --additional-properties=importFileExtension=.js --type-mappings date=string
    ;;
java)
    openapi-generator-cli generate -g java -i "$document" -o "$folder" \
        --additional-properties=library=native,useSingleRequestParameter=true
    ;;
rust)
    openapi-generator-cli generate -g rust -i "$document" -o "$folder" \
        --additional-properties=packageName=loan_servicing,reqwestDefaultFeatures=rustls
    ;;
csharp)
    # C# has an Action of its own, so that the client would not compile.
    openapi-generator-cli generate -g csharp -i "$document" -o "$folder" \
        --additional-properties=packageName=LoanServicing --model-name-mappings Action=RecordAction
    ;;
go)
    # Go would call the function that makes a Reconciliation NewReconciliation: a model's name.
    inputs=NewReconciliation=ReconciliationInput,NewDenomination=DenominationInput
    inputs+=,NewCardPayment=CardPaymentInput,NewDrawerTransaction=DrawerTransactionInput
    openapi-generator-cli generate -g go -i "$document" -o "$folder" \
        --additional-properties=packageName=loanservicing,enumClassPrefix=true,disallowAdditionalPropertiesIfNotPresent=false \
        --model-name-mappings "$inputs"
    ;;
oapi-codegen)
    go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0 \
        -config "$here/oapi-codegen/config.yaml" -o "$folder/client.go" "$document"
    cd "$folder"
    go mod init example.com/loanservicing
    go mod tidy
    ;;
openapi-typescript)
    openapi-typescript "$document" -o "$folder/schema.d.ts"
    ;;
openapi-python-client)
    openapi-python-client generate --path "$document" --output-path "$folder" --overwrite \
        --config "$here/openapi-python-client/config.yaml"
    ;;
*)
    echo "no line for $tool" >&2
    exit 2
    ;;
esac
