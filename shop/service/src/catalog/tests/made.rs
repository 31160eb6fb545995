//! Products, variants and categories that people make and change.

use std::collections::BTreeMap;

use shop_domain::catalog::MediaKind;
use shop_domain::ids::{ProductId, VariantId};
use shop_domain::money::Currency;

use super::*;
use crate::pricing::{self, Item, Quote};
use crate::{carts, orders};

fn teapot() -> Create {
    Create {
        brand_id: None,
        title: "Teapot".into(),
        description: "Holds a litre.".into(),
        category: "kitchen".into(),
        options: BTreeMap::from([("colour".into(), vec!["white".into(), "black".into()])]),
        return_policy: "30 days".into(),
    }
}

fn white() -> CreateVariant {
    CreateVariant {
        sku: "POT-WHITE".into(),
        title: "White teapot".into(),
        options: BTreeMap::from([("colour".into(), "white".into())]),
        price_minor: 4_900,
        currency: None,
        weight_g: 900,
        tax_category: None,
        barcode: Some("4006381333931".into()),
        is_tracked: Some(false),
    }
}

async fn quote(t: &TestShop, variant_id: VariantId) -> crate::Result<pricing::QuoteView> {
    let quote = Quote {
        store_id: Some(t.store),
        customer_id: None,
        items: vec![Item { variant_id, quantity: 1 }],
        address: None,
        shipping_method_id: None,
        coupon_code: None,
    };
    pricing::quote(&t.ctx(&t.ada.principal), quote).await
}

async fn sees(t: &TestShop, product: ProductId) -> bool {
    get(&t.ctx(&t.ada.principal), product).await.is_ok()
}

/// A draft is nobody's until it is published, and then only in the stores that were named.
#[tokio::test]
async fn a_draft_is_sold_where_it_is_published() {
    let t = TestShop::open().await;
    let (staff, vienna) = (t.manager(), t.branch().await);
    let draft = create(&t.ctx(&staff), teapot()).await.unwrap().view;
    assert_eq!((draft.status, draft.brand_id, draft.version), (ProductStatus::Draft, t.brand, 1));
    let here = || Publish { store_ids: vec![t.store] };
    let empty = publish(&t.ctx(&staff), draft.id, here()).await.unwrap_err();
    assert_eq!(empty.rule.as_deref(), Some("nothing_to_sell"));
    let pot = create_variant(&t.ctx(&staff), draft.id, white()).await.unwrap().view;
    assert_eq!((pot.currency, pot.price_minor, pot.is_available), (Currency::Eur, 4_900, false));
    assert!(!sees(&t, draft.id).await && quote(&t, pot.id).await.is_err());

    let sold = publish(&t.at(&staff, 1), draft.id, here()).await.unwrap().view;
    assert_eq!((sold.status, sold.store_ids, sold.version), (ProductStatus::Published, vec![t.store], 2));
    assert!(sees(&t, draft.id).await);
    assert_eq!(quote(&t, pot.id).await.unwrap().subtotal_minor, 4_900);
    let in_vienna = Filter { store_id: Some(vienna.store), ..Filter::default() };
    let page = list(&t.ctx(&t.ada.principal), in_vienna.clone(), PageQuery::default()).await.unwrap();
    assert!(page.items.is_empty(), "it is not sold where nobody said so");
    let unseen = publish(&t.ctx(&staff), draft.id, Publish { store_ids: vec![vienna.store] }).await;
    assert_eq!(unseen.unwrap_err().code, ErrorCode::NotFound, "a store out of sight looks absent");
    let both = publish(&t.ctx(&vienna.manager), draft.id, Publish { store_ids: vec![vienna.store] }).await;
    assert_eq!(both.unwrap().view.store_ids, [t.store, vienna.store]);
    let page = list(&t.ctx(&t.ada.principal), in_vienna, PageQuery::default()).await.unwrap();
    assert_eq!(page.items[0].id, draft.id);
}

/// What is archived is sold no more; orders stay as they are, and carts say what is the matter.
#[tokio::test]
async fn an_archived_product_leaves_orders_and_explains_itself_in_carts() {
    let t = TestShop::open().await;
    let ada = t.ctx(&t.ada.principal);
    let order = t.placed(&[(t.goods.blue_mug, 1)]).await;
    let cart = carts::create(&ada, carts::Create::default()).await.unwrap().view.id;
    let mug = || carts::AddItem { variant_id: t.goods.blue_mug, quantity: 1 };
    carts::add_item(&ada, cart, mug()).await.unwrap();
    let gone = archive(&t.at(&t.manager(), 1), t.goods.mug).await.unwrap().view;
    assert_eq!(gone.status, ProductStatus::Archived);
    assert!(!sees(&t, t.goods.mug).await && quote(&t, t.goods.blue_mug).await.is_err());

    let kept = orders::view(t.shop.db.reader(), order.id).await.unwrap();
    assert_eq!((kept.total_minor, kept.lines), (order.total_minor, order.lines));
    let cart = carts::get(&ada, cart).await.unwrap();
    assert_eq!((cart.lines[0].title.as_str(), cart.lines[0].is_available), ("Blue mug", false));
    assert!(cart.totals.problems.iter().any(|problem| problem.detail.contains("Blue mug is not sold")));
    assert!(carts::add_item(&ada, cart.id, mug()).await.is_err());

    let again = archive(&t.ctx(&t.manager()), t.goods.mug).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("product_archived"));
    publish(&t.ctx(&t.manager()), t.goods.mug, Publish { store_ids: vec![t.store] }).await.unwrap();
    assert!(quote(&t, t.goods.blue_mug).await.is_ok(), "archiving can be undone");
}

/// Options bind the variants, and the other way round.
#[tokio::test]
async fn a_variant_fits_its_product() {
    let t = TestShop::open().await;
    let (staff, ctx) = (t.manager(), t.ctx(&t.manager()));
    let pot = create(&ctx, teapot()).await.unwrap().view.id;
    let first = create_variant(&ctx, pot, white()).await.unwrap().view;
    let green = BTreeMap::from([("colour".to_owned(), "green".to_owned())]);
    let other = |sku: &str| CreateVariant { sku: sku.into(), ..white() };
    let odd = [
        (other("POT-WHITE"), "/sku"),
        (other("POT-2"), "/options"),
        (CreateVariant { options: green.clone(), ..other("POT-2") }, "/options/colour"),
        (CreateVariant { options: BTreeMap::new(), ..other("POT-2") }, "/options"),
        (CreateVariant { price_minor: -1, options: black(), ..other("POT-2") }, "/price_minor"),
        (CreateVariant { weight_g: -1, options: black(), ..other("POT-2") }, "/weight_g"),
        (CreateVariant { barcode: Some("12x".into()), options: black(), ..other("POT-2") }, "/barcode"),
        (CreateVariant { currency: Some(Currency::Jpy), options: black(), ..other("POT-2") }, "/currency"),
        (
            CreateVariant { tax_category: Some("books".into()), options: black(), ..other("POT-2") },
            "/tax_category",
        ),
    ];
    for (input, pointer) in odd {
        assert_eq!(create_variant(&ctx, pot, input).await.unwrap_err().fields[0].pointer, pointer);
    }
    let only_black = BTreeMap::from([("colour".to_owned(), vec!["black".to_owned()])]);
    let narrow = Update { options: Some(only_black), ..Update::default() };
    assert_eq!(update(&ctx, pot, narrow).await.unwrap_err().fields[0].pointer, "/options");
    let three = ["white", "black", "green"].map(str::to_owned).to_vec();
    let wide = Update { options: Some(BTreeMap::from([("colour".to_owned(), three)])), ..Update::default() };
    let wide = update(&t.at(&staff, 1), pot, wide).await.unwrap().view;
    assert_eq!((wide.options["colour"].len(), wide.version), (3, 2));
    let repainted =
        UpdateVariant { options: Some(green), barcode: Some(String::new()), ..UpdateVariant::default() };
    let repainted = update_variant(&t.at(&staff, 1), first.id, repainted).await.unwrap().view;
    assert_eq!(
        (repainted.options["colour"].as_str(), repainted.barcode, repainted.version),
        ("green", None, 2)
    );
    let shown = list_variants(&ctx, pot, PageQuery::default()).await.unwrap().items;
    assert_eq!(shown.len(), 1, "refusals leave nothing behind");
}

fn black() -> BTreeMap<String, String> {
    BTreeMap::from([("colour".to_owned(), "black".to_owned())])
}

/// Another brand's products look absent to who would change them; a shopper may change none.
#[tokio::test]
async fn products_are_their_brands_own() {
    let t = TestShop::open().await;
    let foreign = t.other_brand().await;
    let rename = || Update { title: Some("Theirs".into()), ..Update::default() };
    let hidden = update(&t.ctx(&foreign.manager), t.goods.mug, rename()).await.unwrap_err();
    assert_eq!(hidden.code, ErrorCode::NotFound);
    assert_eq!(
        update(&t.ctx(&t.ada.principal), t.goods.mug, rename()).await.unwrap_err().code,
        ErrorCode::Forbidden
    );
    let draft = create(&t.ctx(&t.manager()), teapot()).await.unwrap().view;
    assert_eq!(get(&t.ctx(&foreign.manager), draft.id).await.unwrap_err().code, ErrorCode::NotFound);
    let own = create(&t.ctx(&foreign.manager), teapot()).await.unwrap().view;
    assert_eq!(own.brand_id, foreign.brand);
    let which = create(&t.ctx(&t.admin), teapot()).await.unwrap_err();
    assert_eq!(which.fields[0].pointer, "/brand_id");
    let there = Publish { store_ids: vec![t.store] };
    let crossed = publish(&t.ctx(&t.admin), own.id, there).await.unwrap_err();
    assert_eq!(crossed.rule.as_deref(), Some("store_of_another_brand"));
}

/// Files stand in the order they were added; a URL that browsers could not open is refused.
#[tokio::test]
async fn media_are_shown_in_order() {
    let t = TestShop::open().await;
    let staff = t.manager();
    let file = |url: &str| AddMedia { kind: MediaKind::Image, url: url.into(), alt: "A mug".into() };
    for (version, url) in [(1, "https://example.com/1.jpg"), (2, "http://example.com/2.jpg")] {
        add_media(&t.at(&staff, version), t.goods.mug, file(url)).await.unwrap();
    }
    for bad in ["", "ftp://example.com/3.jpg", "https://", "https:// example.com", "javascript:alert(1)"] {
        let refused = add_media(&t.ctx(&staff), t.goods.mug, file(bad)).await.unwrap_err();
        assert_eq!(refused.fields[0].pointer, "/url", "{bad}");
    }
    let shown = get(&t.ctx(&t.ada.principal), t.goods.mug).await.unwrap();
    let urls: Vec<_> = shown.media.iter().map(|media| media.url.as_str()).collect();
    assert_eq!(urls, ["https://example.com/1.jpg", "http://example.com/2.jpg"]);
}

/// A category is made under one that is there; products go into it.
#[tokio::test]
async fn categories_are_made_under_their_parents() {
    let t = TestShop::open().await;
    let ctx = t.ctx(&t.manager());
    let named = |name: &str, parent: Option<&str>| CreateCategory {
        name: name.into(),
        parent: parent.map(str::to_owned),
    };
    let pots = create_category(&ctx, named("pots", Some("kitchen"))).await.unwrap().view;
    assert_eq!(
        (pots.path.as_str(), pots.parent.as_deref(), pots.product_count),
        ("kitchen/pots", Some("kitchen"), 0)
    );
    for (odd, pointer) in
        [(named("a/b", None), "/name"), (named("", None), "/name"), (named("x", Some("garden")), "/parent")]
    {
        assert_eq!(create_category(&ctx, odd).await.unwrap_err().fields[0].pointer, pointer);
    }
    for taken in [named("pots", Some("kitchen")), named("kitchen", None)] {
        let twice = create_category(&ctx, taken).await.unwrap_err();
        assert_eq!(twice.rule.as_deref(), Some("category_exists"));
    }
    create(&ctx, Create { category: "kitchen/pots".into(), ..teapot() }).await.unwrap();
    let nowhere = create(&ctx, Create { category: "garden".into(), ..teapot() }).await.unwrap_err();
    assert_eq!(nowhere.fields[0].pointer, "/category");
    let tree = list_categories(&ctx, PageQuery::default()).await.unwrap().items;
    let tree: Vec<_> = tree.iter().map(|entry| (entry.path.as_str(), entry.product_count)).collect();
    assert_eq!(tree, [("clothing", 1), ("home", 1), ("kitchen", 1), ("kitchen/pots", 1)]);
}
