//! The one OpenAPI 3.1 document: what utoipa read off the handlers, and what the operations table adds to each.

use serde_json::{Value, json};
use shop_domain::operations::{Class, OPERATIONS, Operation};
use utoipa::openapi::OpenApi;

use crate::problem::Problem;
use crate::routes;

/// Which status each group of refusals has.
const REFUSALS: [(&str, &str); 4] = [
    ("4XX", "The request was refused; nothing was changed. See `code` and `retry`."),
    ("5XX", "The outcome is unknown or we failed; see `retry` before doing anything."),
    ("401", "No principal: send a bearer token."),
    ("404", "There is no such thing that you can see."),
];

/// The document as it is served.
#[must_use]
pub fn document() -> Value {
    let (app, mut api) = utoipa_actix_web::AppExt::into_utoipa_app(actix_web::App::new())
        .configure(routes::all)
        .split_for_parts();
    drop(app);
    describe(&mut api);
    let mut document = serde_json::to_value(&api).unwrap_or_default();
    add_problem(&mut document);
    for operation in &OPERATIONS {
        let method = operation.method.as_str().to_lowercase();
        let pointer = format!("/paths/{}/{method}", operation.path.replace('~', "~0").replace('/', "~1"));
        if let Some(entry) = document.pointer_mut(&pointer) {
            decorate(entry, operation);
        }
    }
    document
}

fn describe(api: &mut OpenApi) {
    api.info.title = "Twinshop".into();
    api.info.version = env!("CARGO_PKG_VERSION").into();
    api.info.description = Some(
        "One complete mock shop: orders, payments, shipping, refunds and a flaky simulated gateway. \
         Amounts are integer minor units (cents) with a currency; times are RFC 3339 in UTC."
            .into(),
    );
}

fn add_problem(document: &mut Value) {
    let mut collected = Vec::new();
    <Problem as utoipa::ToSchema>::schemas(&mut collected);
    let own = <Problem as utoipa::PartialSchema>::schema();
    collected.push(("Problem".to_owned(), own));
    // Schemas of path parameters are referred to, but utoipa does not collect them.
    collected.extend(shop_domain::ids::schemas().into_iter().map(|(name, schema)| (name.to_owned(), schema)));
    for (name, schema) in collected {
        document["components"]["schemas"][name] = serde_json::to_value(schema).unwrap_or_default();
    }
    document["components"]["securitySchemes"]["bearer"] = json!({ "type": "http", "scheme": "bearer" });
    document["security"] = json!([{ "bearer": [] }, {}]);
}

/// What every operation of a class has in common, so that no handler says it.
fn decorate(entry: &mut Value, operation: &Operation) {
    entry["tags"] = json!([operation.group]);
    entry["x-class"] = json!(operation.class.as_str());
    entry["x-capability"] = json!(operation.capability.as_str());
    entry["x-reaches-gateway"] = json!(reaches_gateway(operation.id));
    for (status, description) in REFUSALS {
        let schema = json!({ "$ref": "#/components/schemas/Problem" });
        entry["responses"][status] = json!({ "description": description, "content": { "application/problem+json": { "schema": schema } } });
    }
    if operation.class == Class::R {
        return;
    }
    let is_risky = operation.class.is_grave();
    let key = json!({
        "name": "Idempotency-Key", "in": "header", "required": is_risky,
        "description": "A key of your own for this one intent, the same on every repeat of it: a repeat gives the stored answer and does nothing. Kept 24 hours.",
        "schema": { "type": "string", "minLength": 1, "maxLength": 255 },
    });
    let version = json!({
        "name": "If-Match", "in": "header", "required": is_risky,
        "description": "The version (ETag) you read of what the path names; the call is refused if it has changed since.",
        "schema": { "type": "string", "pattern": "^\"?[0-9]+\"?$" },
    });
    let headers = if operation.names_its_subject() { vec![key, version] } else { vec![key] };
    match entry["parameters"].as_array_mut() {
        Some(parameters) => parameters.extend(headers),
        None => entry["parameters"] = json!(headers),
    }
}

/// Operations that end in a call to the gateway while the caller waits.
fn reaches_gateway(id: &str) -> bool {
    id.starts_with("refund_")
        || matches!(
            id,
            "authorize_payment"
                | "capture_payment"
                | "void_payment"
                | "sync_payment_status"
                | "retry_failed_refund"
                | "sync_refund_status"
        )
}
