//! Attribute macros for the boilerplate of interface types and operations.

#[expect(dead_code, reason = "labels and XML names are built at run time, in `shared`")]
#[path = "../../src/entity/json_names.rs"]
#[allow(unreachable_pub, reason = "shared with the crate that uses these macros")]
mod json_names;

use proc_macro::TokenStream;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Attribute, ImplItem, ImplItemFn, ItemImpl, ItemStruct, Meta};
use syn::{parse_macro_input, parse_quote};

/// Names the fields of a poem-openapi `Object` as the interface does: `loan_id` becomes `Loan_ID`.
///
/// A field with its own `#[oai]` rename, flatten or skip keeps it.
#[proc_macro_attribute]
pub fn interface_names(_: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as ItemStruct);
    for field in &mut item.fields {
        let Some(ident) = &field.ident else { continue };
        if !["rename", "flatten", "skip"].iter().any(|word| oai_has(&field.attrs, word)) {
            let name = json_names::json_name(&ident.unraw().to_string());
            field.attrs.push(parse_quote!(#[oai(rename = #name)]));
        }
    }
    item.into_token_stream().into()
}

/// Completes the operations in an `#[OpenApi]` block: an operation's id is its method's name, and
/// the method may have as many arguments as the operation has parameters.
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
}

/// True if an `#[oai(…)]` has this word at its top level.
fn oai_has(attributes: &[Attribute], word: &str) -> bool {
    let lists = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::List(list) if list.path.is_ident("oai") => Some(list.tokens.clone()),
        _ => None,
    });
    lists.flatten().any(|token| token.to_string() == word)
}
