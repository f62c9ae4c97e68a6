//! Attribute macros for the boilerplate of interface types and operations.

#[expect(dead_code, reason = "labels and XML names are built at run time, in `shared`")]
#[path = "../../src/entity/json_names.rs"]
#[allow(unreachable_pub, reason = "shared with the crate that uses these macros")]
mod json_names;

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, ItemStruct, LitStr, Meta, Pat,
    PatType, Token, Type,
};
use syn::{parse_macro_input, parse_quote};

/// Names the fields of a poem-openapi `Object` as the interface does: `loan_id` becomes `Loan_ID`.
///
/// A field with its own `#[oai]` rename, flatten or skip keeps it.
#[proc_macro_attribute]
pub fn interface_names(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as ItemStruct);
    name_fields(&mut item);
    item.into_token_stream().into()
}

fn name_fields(item: &mut ItemStruct) {
    for field in &mut item.fields {
        let Some(ident) = &field.ident else { continue };
        if !["rename", "flatten", "skip"].iter().any(|word| oai_has(&field.attrs, word)) {
            let name = json_names::json_name(&ident.unraw().to_string());
            field.attrs.push(parse_quote!(#[oai(rename = #name)]));
        }
    }
}

/// Makes a `Model` the sea-orm entity of the table with this name, without relations.
///
/// With `object = "Name"` it is also a poem-openapi `Object` of that name, with
/// [`interface_names`]; with `stored`, serde reads and writes it under its column names.
#[proc_macro_attribute]
pub fn table(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let Table { name, object, stored } = parse_macro_input!(arguments as Table);
    let mut item = parse_macro_input!(item as ItemStruct);
    let object = object.map(|object| {
        name_fields(&mut item);
        quote! {
            #[derive(::poem_openapi::Object)]
            #[oai(rename = #object, skip_serializing_if_is_none)]
        }
    });
    let stored = stored.then(|| quote!(#[derive(::serde::Serialize, ::serde::Deserialize)]));
    quote! {
        // `DeriveEntityModel` expects these names to be in scope.
        use ::sea_orm::{DerivePrimaryKey, EntityTrait, EnumIter, PrimaryKeyTrait};

        #[derive(Clone, Debug, PartialEq, Eq, ::sea_orm::DeriveEntityModel)]
        #[sea_orm(table_name = #name)]
        #stored
        #object
        #item

        /// No relations.
        #[derive(Copy, Clone, Debug, ::sea_orm::EnumIter, ::sea_orm::DeriveRelation)]
        pub enum Relation {}

        impl ::sea_orm::ActiveModelBehavior for ActiveModel {}
    }
    .into()
}

/// Arguments of [`macro@table`].
struct Table {
    name: LitStr,
    object: Option<LitStr>,
    stored: bool,
}

impl Parse for Table {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut table = Self { name: input.parse()?, object: None, stored: false };
        while input.parse::<Option<Token![,]>>()?.is_some() {
            let word: Ident = input.parse()?;
            match word.to_string().as_str() {
                "stored" => table.stored = true,
                "object" => {
                    input.parse::<Token![=]>()?;
                    table.object = Some(input.parse()?);
                }
                _ => return Err(syn::Error::new(word.span(), "expected `object` or `stored`")),
            }
        }
        Ok(table)
    }
}

/// Completes the operations in an `#[OpenApi]` block: an operation's id is its method's name, and
/// the method may have as many arguments as the operation has parameters. Their names follow from
/// the arguments: `document_id` is the query parameter `documentId`, `_if_match` the header
/// `If-Match`, unless `#[oai]` has another name. A path parameter without a description gets its
/// name: "Loan id."
#[proc_macro_attribute]
pub fn operations(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as ItemImpl);
    for item in &mut item.items {
        if let ImplItem::Fn(method) = item
            && oai_has(&method.attrs, "path")
        {
            complete(method);
        }
    }
    item.into_token_stream().into()
}

fn complete(operation: &mut ImplItemFn) {
    let id = operation.sig.ident.to_string();
    for attribute in &mut operation.attrs {
        if let Meta::List(list) = &mut attribute.meta
            && list.path.is_ident("oai")
        {
            let declared = &list.tokens;
            list.tokens = quote!(#declared, operation_id = #id);
        }
    }
    operation.attrs.push(parse_quote!(
        #[allow(clippy::too_many_arguments, reason = "one per parameter of the operation")]
    ));
    for argument in &mut operation.sig.inputs {
        if let FnArg::Typed(argument) = argument {
            complete_parameter(argument);
        }
    }
}

fn complete_parameter(argument: &mut PatType) {
    let (Pat::Ident(pattern), Type::Path(kind)) = (&*argument.pat, &*argument.ty) else { return };
    let Some(kind) = kind.path.segments.last() else { return };
    if oai_has(&argument.attrs, "name") {
        return;
    }
    let name = pattern.ident.to_string();
    let name = name.trim_start_matches('_');
    let capitalized: Vec<String> = name.split('_').map(capitalize).collect();
    let added: Attribute = match kind.ident.to_string().as_str() {
        "Query" => {
            let initial = name.chars().take(1);
            let name: String = initial.chain(capitalized.concat().chars().skip(1)).collect();
            parse_quote!(#[oai(name = #name)])
        }
        "Header" => {
            let name = capitalized.join("-");
            parse_quote!(#[oai(name = #name)])
        }
        "Path" if argument.attrs.is_empty() => {
            let description = capitalize(&name.replace('_', " ")) + ".";
            parse_quote!(#[doc = #description])
        }
        _ => return,
    };
    argument.attrs.push(added);
}

fn capitalize(word: &str) -> String {
    let initial = word.chars().take(1).flat_map(char::to_uppercase);
    initial.chain(word.chars().skip(1)).collect()
}

/// True if an `#[oai(…)]` has this word at its top level.
fn oai_has(attributes: &[Attribute], word: &str) -> bool {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("oai") => Some(list.tokens.clone()),
        _ => None,
    });
    lists.flatten().any(|token| token.to_string() == word)
}
