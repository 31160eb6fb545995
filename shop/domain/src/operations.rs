//! The 200 operations of the shop as facts: what guards, documents and tools are derived from.

use crate::governance::Capability;
use crate::ids::{KINDS, Kind};
use crate::words::{same_text, words};

mod table;

pub use table::OPERATIONS;

words! {
    /// How hard an operation is to take back.
    pub enum Class {
        /// Reads only.
        R = "R",
        /// Writes, and can be undone.
        W = "W",
        /// Hard to undo.
        D = "D",
        /// Moves money or money-like value.
        M = "M",
    }

    /// HTTP method of an operation.
    pub enum Method {
        Get = "GET",
        Post = "POST",
        Put = "PUT",
        Patch = "PATCH",
        Delete = "DELETE",
    }
}

impl Class {
    /// Whether the operation changes anything, and so takes an `Idempotency-Key`.
    #[must_use]
    pub const fn writes(self) -> bool {
        match self {
            Self::R => false,
            Self::W | Self::D | Self::M => true,
        }
    }

    /// Whether the operation is hard to undo or moves money, and so needs `If-Match` and a key.
    #[must_use]
    pub const fn is_grave(self) -> bool {
        match self {
            Self::R | Self::W => false,
            Self::D | Self::M => true,
        }
    }
}

/// One operation: a REST endpoint, an OpenAPI operation and a tool of the CRUD door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Name of the operation: OpenAPI `operationId` and tool name.
    pub id: &'static str,
    /// HTTP method.
    pub method: Method,
    /// Path template below the world's base.
    pub path: &'static str,
    /// How hard it is to take back.
    pub class: Class,
    /// What a principal needs to run it.
    pub capability: Capability,
    /// The group it is documented in.
    pub group: &'static str,
}

impl Operation {
    /// Whether its path names the thing it is about, whose version can be asked for.
    #[must_use]
    pub fn names_its_subject(&self) -> bool {
        self.path.contains('{')
    }

    /// What the ids in its path may name; nothing, where the path names its subject by something else than an id.
    #[must_use]
    pub fn subject_kinds(&self) -> Vec<Kind> {
        let parameters = self.path.split('{').skip(1).filter_map(|part| part.split('}').next());
        let named = parameters.filter_map(|parameter| parameter.strip_suffix("_id"));
        named.flat_map(|word| kinds_called(&word.replace('_', " "))).collect()
    }
}

/// The kind of this name, or else all that are a kind of it: an `endpoint` is a webhook endpoint.
fn kinds_called(name: &str) -> Vec<Kind> {
    if let Some(exact) = KINDS.iter().find(|kind| kind.noun == name) {
        return vec![*exact];
    }
    KINDS.iter().copied().filter(|kind| kind.noun.split(' ').any(|word| word == name)).collect()
}

/// The operation of this name. Meant for constants, where an unknown name does not compile.
#[must_use]
pub const fn operation(id: &str) -> &'static Operation {
    match find(id) {
        Some(operation) => operation,
        None => panic!("no operation has this id"),
    }
}

/// The operation of this name, for names that arrive at run time.
#[must_use]
pub const fn find(id: &str) -> Option<&'static Operation> {
    let mut rest: &'static [Operation] = &OPERATIONS;
    while let Some((first, others)) = rest.split_first() {
        if same_text(first.id, id) {
            return Some(first);
        }
        rest = others;
    }
    None
}

/// The operation behind a method and a path template.
#[must_use]
pub fn at(method: &str, path: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.method.as_str() == method && operation.path == path)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashSet};

    use super::*;

    const CANCEL: &Operation = operation("cancel_order");

    #[test]
    fn a_constant_finds_its_operation() {
        assert_eq!((CANCEL.method, CANCEL.path), (Method::Post, "/v1/orders/{order_id}/cancel"));
        assert_eq!((CANCEL.class, CANCEL.capability), (Class::D, Capability::OrdersWrite));
        assert_eq!(find("cancel_orders"), None);
        assert_eq!(find("cancel_orde"), None);
        assert_eq!(find(""), None);
    }

    #[test]
    fn a_path_says_what_its_ids_name() {
        let nouns = |id| operation(id).subject_kinds().iter().map(|kind| kind.noun).collect::<Vec<_>>();
        for (id, expected) in [
            ("cancel_order", vec!["order"]),
            ("delete_customer_address", vec!["customer", "address"]),
            ("detach_payment_method", vec!["customer", "payment method"]),
            ("delete_webhook_endpoint", vec!["webhook endpoint"]),
            ("deactivate_staff", vec!["staff member"]),
            ("update_cart_item", vec!["cart", "cart line", "order line"]),
            ("validate_coupon", vec![]),
            ("list_orders", vec![]),
        ] {
            assert_eq!(nouns(id), expected, "{id}");
        }
        for operation in OPERATIONS.iter().filter(|operation| operation.path.contains("_id}")) {
            assert!(!operation.subject_kinds().is_empty(), "{}", operation.id);
        }
    }

    #[test]
    fn names_and_routes_are_unique() {
        let ids: HashSet<_> = OPERATIONS.iter().map(|operation| operation.id).collect();
        let routes: HashSet<_> =
            OPERATIONS.iter().map(|operation| (operation.method, operation.path)).collect();
        assert_eq!((ids.len(), routes.len()), (200, 200));
        assert!(OPERATIONS.iter().all(|operation| find(operation.id) == Some(operation)));
        assert!(OPERATIONS.iter().all(|row| at(row.method.as_str(), row.path) == Some(row)));
    }

    #[test]
    fn every_get_reads_and_the_totals_are_those_of_the_catalogue() {
        let count = |class| OPERATIONS.iter().filter(|operation| operation.class == class).count();
        assert_eq!([Class::R, Class::W, Class::D, Class::M].map(count), [75, 89, 17, 19]);
        assert!(OPERATIONS.iter().all(|o| o.method != Method::Get || o.class == Class::R));
        let used: HashSet<_> = OPERATIONS.iter().map(|operation| operation.capability).collect();
        assert_eq!((used.len(), Capability::ALL.len()), (61, 61));
        let mut groups = BTreeMap::<_, usize>::new();
        for operation in &OPERATIONS {
            *groups.entry(operation.group).or_default() += 1;
        }
        assert_eq!(groups.len(), 24);
        assert_eq!(
            (groups["Orders"], groups["Payments"], groups["Refunds"], groups["Returns"]),
            (15, 13, 12, 10)
        );
    }
}
