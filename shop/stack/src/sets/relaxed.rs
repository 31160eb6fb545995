//! Which rules a mode leaves to the caller, and that nothing else asks for the mode.

use std::collections::BTreeSet;
use std::path::Path;

use shop_domain::after_sales::Trust;

use super::*;

/// Everything that relaxes a rule, and which one. The modes differ in these places and nowhere else.
const RELAXED: &[(&str, Trust)] = &[
    ("domain/src/after_sales.rs", Trust::Legality),
    ("service/src/attempts/record.rs", Trust::OneAttempt),
    ("service/src/payments/open.rs", Trust::OneAttempt),
    ("service/src/payments/write.rs", Trust::OneAttempt),
    ("service/src/refunds/books.rs", Trust::Legality),
    ("service/src/returns/read.rs", Trust::Legality),
];

/// What compares the mode itself would escape the list above.
const COMPARES: [&str; 6] = [
    "== RulesMode",
    "!= RulesMode",
    "RulesMode::Ui =>",
    "RulesMode::Server =>",
    "rules.is_",
    "match self.rules",
];

fn sources(folder: &Path, visit: &mut impl FnMut(&str, &str)) {
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(&shop).unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            sources(&path, visit);
        } else if name.ends_with(".rs") && !name.contains("tests") {
            visit(&name, &std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn the_modes_differ_in_the_documented_rules_and_nowhere_else() {
    assert_eq!(Trust::ALL, [Trust::Legality, Trust::OneAttempt]);
    for &rule in Trust::ALL {
        assert!(!RulesMode::Server.trusts_caller_on(rule) && RulesMode::Ui.trusts_caller_on(rule), "{rule}");
    }
    let (mut found, mut compared) = (BTreeSet::new(), Vec::new());
    let shop = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap();
    for layer in ["domain", "service", "api", "console", "gateway-sim", "gateway", "store", "world"] {
        sources(&shop.join(layer).join("src"), &mut |name, text| {
            for (rule, call) in [
                (Trust::Legality, "trusts_caller_on(Trust::Legality)"),
                (Trust::OneAttempt, "trusts_caller_on(Trust::OneAttempt)"),
            ] {
                found.extend(text.contains(call).then(|| (name.to_owned(), rule.as_str())));
            }
            compared.extend(COMPARES.iter().filter(|words| text.contains(**words)).map(|_| name.to_owned()));
        });
    }
    let expected: BTreeSet<_> =
        RELAXED.iter().map(|(name, rule)| ((*name).to_owned(), rule.as_str())).collect();
    assert_eq!(found, expected);
    assert_eq!(compared, Vec::<String>::new(), "these ask for the mode and not for the rule");
}

/// Where goods are is the caller's word; how many there are, and how much was paid, is not.
#[actix_web::test]
async fn no_mode_refunds_a_unit_twice_or_more_than_was_taken() {
    for rules in MODES {
        let d = Desk::open(rules).await;
        let order = d.t.paid(&[(d.t.goods.blue_mug, 1)]).await;
        for name in ["refund_without_return", "refund_unshipped_items", "refund_shipping_fee"] {
            let body =
                if name == "refund_without_return" { json!({ "reason": "goodwill" }) } else { json!({}) };
            for _ in 0..2 {
                d.call(&d.t.lead, name, &[&order.id], body.clone()).await;
            }
        }
        assert_eq!((d.kept(), d.t.order(order.id).await.lines[0].refunded_quantity), (0, 1));
        d.is_sound().await;
    }
}

/// A return of what never left is the caller's word; its arrival would be stock made of nothing.
#[actix_web::test]
async fn no_mode_books_in_what_never_left() {
    let d = Desk::open(RulesMode::Ui).await;
    let order = d.t.paid(&[(d.t.goods.blue_mug, 1)]).await;
    let back = d.asked_back(order.id).await;
    d.refused(&d.t.lead, "receive_return_items", &[&back], json!({}), "order_not_shipped").await;
    d.is_sound().await;
}
