use sea_orm::sea_query::Expr;
use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel, Set};
use shop_domain::code::ErrorCode;
use shop_domain::status::ProductStatus;
use shop_store::entities::{products, variants};

mod made;

use super::*;
use crate::testing::TestShop;
use crate::{PageQuery, prices};

async fn change(
    t: &TestShop,
    product: shop_domain::ids::ProductId,
    by: impl FnOnce(&mut products::ActiveModel),
) {
    let tx = t.shop.db.begin().await.unwrap();
    let row = products::Entity::find_by_id(product).one(&*tx).await.unwrap().unwrap();
    let mut row = row.into_active_model();
    by(&mut row);
    row.update(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

fn words(q: &str) -> Search {
    Search { q: Some(q.to_owned()), ..Search::default() }
}

/// A draft is staff's business until it is published.
#[tokio::test]
async fn shoppers_see_what_is_published() {
    let t = TestShop::open().await;
    let (shopper, staff) = (t.ctx(&t.ada.principal), t.ctx(&t.agent));
    change(&t, t.goods.lamp, |row| row.status = Set(ProductStatus::Draft)).await;
    let list_all = async |ctx| list(ctx, Filter::default(), PageQuery::default()).await.unwrap().items;
    assert_eq!((list_all(&shopper).await.len(), list_all(&staff).await.len()), (2, 3));
    assert_eq!(get(&shopper, t.goods.lamp).await.unwrap_err().code, ErrorCode::NotFound);
    let hidden = list_variants(&shopper, t.goods.lamp, PageQuery::default()).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    let prices =
        prices::list_of_variant(&shopper, t.goods.desk_lamp, PageQuery::default()).await.unwrap_err();
    assert_eq!(prices.detail, crate::Error::not_found(format!("variant {}", t.goods.desk_lamp)).detail);
    let lamps = list_variants(&staff, t.goods.lamp, PageQuery::default()).await.unwrap().items;
    assert!(!lamps[0].is_available, "a draft cannot be bought");
    let drafts = Filter { status: Some(ProductStatus::Draft), ..Filter::default() };
    assert!(list(&shopper, drafts.clone(), PageQuery::default()).await.unwrap().items.is_empty());
    assert_eq!(list(&staff, drafts, PageQuery::default()).await.unwrap().items[0].id, t.goods.lamp);
}

/// Options and prices of a product are those of its variants.
#[tokio::test]
async fn a_product_says_what_can_be_chosen() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let shirt = get(&ctx, t.goods.shirt).await.unwrap();
    assert_eq!(shirt.options["size"], ["S", "L"]);
    assert_eq!(
        (shirt.prices[0].min_minor, shirt.prices[0].max_minor, shirt.variant_count),
        (2_500, 2_700, 2)
    );
    let first = PageQuery { limit: Some(1), cursor: None };
    let first = list_variants(&ctx, t.goods.shirt, first).await.unwrap();
    let next = PageQuery { limit: Some(1), cursor: first.next_cursor };
    let next = list_variants(&ctx, t.goods.shirt, next).await.unwrap();
    let ids = (first.items[0].id, next.items[0].id, next.has_more);
    assert_eq!(ids, (t.goods.small_shirt, t.goods.large_shirt, false));
    let prices =
        prices::list_of_variant(&ctx, t.goods.small_shirt, PageQuery::default()).await.unwrap().items;
    assert_eq!((prices.len(), prices[0].kind.as_str(), prices[0].amount_minor), (1, "base", 2_500));
}

/// Imported variants may share a place; a page ends within it all the same.
#[tokio::test]
async fn variants_in_one_place_are_all_listed_once() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let tx = t.shop.db.begin().await.unwrap();
    let together = variants::Entity::update_many().col_expr(variants::Column::Position, Expr::value(0));
    together.exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = PageQuery { limit: Some(1), cursor };
        let page = list_variants(&ctx, t.goods.mug, page).await.unwrap();
        seen.extend(page.items.into_iter().map(|variant| variant.id));
        cursor = page.next_cursor;
        if !page.has_more {
            break;
        }
    }
    assert_eq!(seen, [t.goods.blue_mug, t.goods.red_mug]);
    for foreign in ["0", &t.goods.small_shirt.to_string()] {
        let page = PageQuery { limit: None, cursor: Some(foreign.to_owned()) };
        let refused = list_variants(&ctx, t.goods.mug, page).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, "/cursor", "{foreign}");
    }
}

/// Every word must be found, whatever its case; signs that SQL knows are plain text.
#[tokio::test]
async fn a_search_finds_words_prices_and_what_is_in_stock() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.ada.principal);
    let find = async |input: Search| search(&ctx, input, PageQuery::default()).await.unwrap();
    let titles = |found: &SearchResults| found.items.iter().map(|p| p.title.clone()).collect::<Vec<_>>();
    assert_eq!(titles(&find(words("HARBOUR blue")).await), ["Harbour mug"]);
    assert_eq!(titles(&find(words("shirt-l")).await), ["Harbour shirt"]);
    for nothing in ["harbour spoon", "%", "_", "\\"] {
        assert!(find(words(nothing)).await.items.is_empty(), "{nothing}");
    }
    let dear = Search { min_price_minor: Some(2_600), ..Search::default() };
    assert_eq!(titles(&find(dear).await), ["Desk lamp", "Harbour shirt"]);

    t.placed(&[(t.goods.desk_lamp, 5)]).await;
    let all = find(Search::default()).await;
    assert_eq!((all.facets.available, all.facets.unavailable), (2, 1));
    let range = &all.facets.prices[0];
    assert_eq!((range.min_minor, range.max_minor), (1_990, 8_900));
    let categories: Vec<_> = all.facets.categories.iter().map(|c| (c.path.as_str(), c.products)).collect();
    assert_eq!(categories, [("clothing", 1), ("home", 1), ("kitchen", 1)]);
    let sold_out = Search { is_available: Some(false), ..Search::default() };
    assert_eq!(titles(&find(sold_out).await), ["Desk lamp"]);

    // Facets are of everything that was found, pages are of some of it.
    let first = PageQuery { limit: Some(2), cursor: None };
    let first = search(&ctx, Search::default(), first).await.unwrap();
    assert_eq!((titles(&first), first.has_more), (vec!["Desk lamp".into(), "Harbour mug".into()], true));
    assert_eq!(first.facets, all.facets);
    let next = PageQuery { limit: Some(2), cursor: first.next_cursor };
    assert_eq!(titles(&search(&ctx, Search::default(), next).await.unwrap()), ["Harbour shirt"]);
}

/// Paths make a tree, with branches that have no products of their own.
#[tokio::test]
async fn categories_are_a_tree() {
    let t = TestShop::open().await;
    change(&t, t.goods.lamp, |row| row.category = Set("home/lights/desk".into())).await;
    let tree = list_categories(&t.ctx(&t.ada.principal), PageQuery::default()).await.unwrap().items;
    let tree: Vec<_> = tree.iter().map(|c| (c.path.as_str(), c.parent.as_deref(), c.product_count)).collect();
    let expected = [
        ("clothing", None, 1),
        ("home", None, 0),
        ("home/lights", Some("home"), 0),
        ("home/lights/desk", Some("home/lights"), 1),
        ("kitchen", None, 1),
    ];
    assert_eq!(tree, expected);
}
