//! What customers say leads to the entry that can do it.

use mcp_actions_engine::SearchCall;

use super::*;

#[tokio::test]
async fn words_lead_to_the_right_entry() {
    let desk = Desk::open().await;
    for (words, capability) in [
        ("I want my money back", "after_sales"),
        ("it came broken", "after_sales"),
        ("my parcel got lost", "after_sales"),
        ("I never received my package", "after_sales"),
        ("refund the shipping cost", "after_sales"),
        ("the price went down after I bought it", "after_sales"),
        ("forgot to enter the coupon", "after_sales"),
        ("replace the faulty item", "after_sales"),
        ("I want to send it back", "return_refund"),
        ("return the lamp, I changed my mind", "return_refund"),
        ("swap it for a bigger size", "exchange"),
        ("the shoes are the wrong size", "exchange"),
        ("cancel it", "cancel_order"),
        ("stop my order", "cancel_order"),
        ("take one item off my order and refund it", "refund_only"),
    ] {
        let call = SearchCall { query: words.to_owned(), ..SearchCall::default() };
        let found = desk.engine().search(&desk.ada, call).await;
        let first = found.matches.first().map(|hit| hit.capability.as_str());
        assert_eq!(first, Some(capability), "{words}");
    }
}
