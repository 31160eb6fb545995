use std::sync::Arc;

use sea_orm::{ActiveModelTrait, EntityTrait, Set};
use shop_domain::code::ErrorCode;
use shop_domain::governance::{Capability, Principal, Role, Scope, ScopeLevel};
use shop_domain::ids::{BrandId, PrincipalId, StoreId};
use shop_domain::status::ApprovalStatus;
use shop_store::entities::{brands, inventory_levels, principals as rows, stores};

use super::*;
use crate::testing::TestShop;
use crate::{Ctx, Result, approvals, principals, reports};

fn kim(role: Option<Role>, store: StoreId) -> Invite {
    Invite {
        email: "kim@harbour.example".into(),
        name: "Kim Ito".into(),
        role,
        role_id: None,
        scope: ScopeLevel::Store,
        brand_id: None,
        store_id: Some(store),
    }
}

fn role(role: Role, scope: ScopeLevel) -> Grant {
    Grant { role: Some(role), role_id: None, scope, brand_id: None, store_id: None, approval_id: None }
}

async fn sign_in(t: &TestShop, token: &str) -> Result<Ctx> {
    Ok(t.ctx(&principals::authenticate(&t.shop, Some(token), false).await?))
}

async fn grant_to(t: &TestShop, by: &Arc<Principal>, member: &View, input: Grant) -> Result<View> {
    Ok(grant(&t.at(by, member.version), member.id, input).await?.view)
}

/// Somebody who manages the brand of the test shop.
async fn manager(t: &TestShop) -> Arc<Principal> {
    let input = Invite {
        email: "mona@harbour.example".into(),
        scope: ScopeLevel::Brand,
        brand_id: Some(t.brand),
        store_id: None,
        ..kim(Some(Role::BrandManager), t.store)
    };
    let mona = invite(&t.ctx(&t.admin), input).await.unwrap().view;
    principals::authenticate(&t.shop, mona.token.as_deref(), false).await.unwrap()
}

#[tokio::test]
async fn an_invitation_makes_somebody_who_can_sign_in() {
    let t = TestShop::open().await;
    let invited = invite(&t.ctx(&t.admin), kim(Some(Role::StoreManager), t.store)).await.unwrap().view;
    let ctx = sign_in(&t, invited.token.as_deref().unwrap()).await.unwrap();
    assert_eq!((ctx.principal.role, ctx.principal.scope), (Role::StoreManager, Scope::Store(t.store)));
    assert_eq!(ctx.principal.id, invited.principal_id);
    assert!(principals::authenticate(&t.shop, Some("tok_guess"), false).await.is_err());

    let seen = list(&ctx, Filter::default(), Default::default()).await.unwrap().items;
    // Kim, Sam and Lea work in the store; the administrator works above it.
    assert_eq!(seen.len(), 3);
    assert!(seen.iter().all(|member| member.token.is_none() && member.is_active));
    let own = Filter { email: Some("kim@harbour.example".into()), ..Filter::default() };
    let own = list(&t.ctx(&t.admin), own, Default::default()).await.unwrap().items;
    assert_eq!((own[0].roles[0].name.as_str(), own[0].scope), ("store_manager", Scope::Store(t.store)));

    let again = invite(&t.ctx(&t.admin), kim(Some(Role::Finance), t.store)).await.unwrap_err();
    assert_eq!(again.rule.as_deref(), Some("email_taken"));
    for (bad, pointer) in [
        (kim(Some(Role::Shopper), t.store), "/role"),
        (kim(None, t.store), "/role"),
        (Invite { brand_id: Some(t.brand), ..kim(Some(Role::Finance), t.store) }, "/store_id"),
        (Invite { scope: ScopeLevel::Own, store_id: None, ..kim(Some(Role::Finance), t.store) }, "/scope"),
        (Invite { email: "kim".into(), ..kim(Some(Role::Finance), t.store) }, "/email"),
    ] {
        assert_eq!(invite(&t.ctx(&t.admin), bad).await.unwrap_err().fields[0].pointer, pointer);
    }
}

#[tokio::test]
async fn nobody_gives_more_than_they_have_nor_anything_to_themselves() {
    let t = TestShop::open().await;
    let mona = manager(&t).await;
    let ctx = t.ctx(&mona);
    for (input, code) in [
        (kim(Some(Role::Finance), t.store), ErrorCode::Forbidden),
        (
            Invite { scope: ScopeLevel::Tenant, store_id: None, ..kim(Some(Role::SupportAgent), t.store) },
            ErrorCode::Forbidden,
        ),
        (kim(Some(Role::SupportAgent), StoreId::new(ulid::Ulid(9))), ErrorCode::NotFound),
    ] {
        assert_eq!(invite(&ctx, input).await.unwrap_err().code, code);
    }
    let finance = CreateRole { name: "till".into(), capabilities: vec![Capability::PaymentsOffline] };
    assert_eq!(create_role(&ctx, finance).await.unwrap_err().rule.as_deref(), Some("more_than_you_have"));
    let all = list(&ctx, Filter::default(), Default::default()).await.unwrap().items;
    let own = all.iter().find(|member| member.principal_id == mona.id).unwrap();
    let selfish = grant_to(&t, &mona, own, role(Role::SupportLead, ScopeLevel::Own)).await.unwrap_err();
    assert_eq!((selfish.code, selfish.rule.as_deref()), (ErrorCode::Forbidden, Some("own_role")));
    let bot = Arc::new(mona.agent(PrincipalId::new(ulid::Ulid(5)), "bot"));
    let by_bot = grant_to(&t, &bot, own, role(Role::SupportAgent, ScopeLevel::Own)).await.unwrap_err();
    assert_eq!(by_bot.rule.as_deref(), Some("own_role"));
    let by_lead = invite(&t.ctx(&t.lead), kim(Some(Role::SupportAgent), t.store)).await.unwrap_err();
    assert_eq!(by_lead.code, ErrorCode::Forbidden);
}

#[tokio::test]
async fn a_role_of_the_tenants_own_holds_at_its_scope() {
    let t = TestShop::open().await;
    let (mona, admin) = (manager(&t).await, t.ctx(&t.admin));
    let clerk = vec![Capability::ReportsRead, Capability::OrdersRead, Capability::ReportsRead];
    let clerk = CreateRole { name: "clerk".into(), capabilities: clerk };
    let clerk = create_role(&t.ctx(&mona), clerk).await.unwrap().view;
    assert_eq!(clerk.capabilities, [Capability::OrdersRead, Capability::ReportsRead]);
    let twice = CreateRole { name: "clerk".into(), capabilities: clerk.capabilities.clone() };
    assert_eq!(create_role(&admin, twice).await.unwrap_err().rule.as_deref(), Some("name_taken"));
    let listed = list_roles(&admin, Default::default()).await.unwrap().items;
    assert_eq!((listed.len(), listed[0].is_built_in, listed[7].id), (8, true, clerk.id));
    let two = crate::PageQuery { limit: Some(7), cursor: None };
    let page = list_roles(&admin, two).await.unwrap();
    let rest = crate::PageQuery { limit: None, cursor: page.next_cursor };
    assert_eq!(list_roles(&admin, rest).await.unwrap().items[0], clerk);

    let input = Invite { role_id: clerk.id, ..kim(None, t.store) };
    let invited = invite(&t.ctx(&mona), input).await.unwrap().view;
    assert_eq!((invited.roles.len(), invited.roles[0].role_id), (1, clerk.id));
    let ctx = sign_in(&t, invited.token.as_deref().unwrap()).await.unwrap();
    assert!(reports::sales(&ctx, Default::default()).await.is_ok());
    let refused = list(&ctx, Filter::default(), Default::default()).await.unwrap_err();
    assert_eq!(refused.detail, "clerk does not hold staff.read");

    // Within the brand it was made in, and nowhere else.
    let far = Grant { role: None, role_id: clerk.id, ..role(Role::Admin, ScopeLevel::Tenant) };
    assert_eq!(grant_to(&t, &t.admin, &invited, far).await.unwrap_err().fields[0].pointer, "/scope");
    let wider = Grant {
        scope: ScopeLevel::Brand,
        brand_id: Some(t.brand),
        role: None,
        role_id: clerk.id,
        ..role(Role::Admin, ScopeLevel::Own)
    };
    let wider = grant_to(&t, &mona, &invited, wider).await.unwrap();
    assert_eq!(wider.roles[1].granted_by, Some(mona.id));
    let ctx = sign_in(&t, invited.token.as_deref().unwrap()).await.unwrap();
    assert_eq!(ctx.principal.scope, Scope::Store(t.store));
    assert_eq!(ctx.principal.acting(Capability::ReportsRead).scope, Scope::Brand(t.brand));
}

#[tokio::test]
async fn grants_lie_on_one_line_and_are_given_once() {
    let t = TestShop::open().await;
    let member = invite(&t.ctx(&t.admin), kim(Some(Role::SupportAgent), t.store)).await.unwrap().view;
    let lead = role(Role::SupportLead, ScopeLevel::Own);
    let member = grant_to(&t, &t.admin, &member, lead.clone()).await.unwrap();
    let names: Vec<_> = member.roles.iter().map(|role| role.name.as_str()).collect();
    assert_eq!(names, ["support_agent", "support_lead"]);
    let ctx = sign_in(&t, &token_of(&t, &member).await).await.unwrap();
    assert!(approvals::list(&ctx, Default::default(), Default::default()).await.is_ok());
    for again in [lead, role(Role::SupportAgent, ScopeLevel::Own)] {
        let error = grant_to(&t, &t.admin, &member, again).await.unwrap_err();
        assert_eq!(error.rule.as_deref(), Some("already_granted"));
    }
    let other = crate::stores::Create {
        brand_id: t.brand,
        name: "Harbour Vienna".into(),
        currency: shop_domain::money::Currency::Eur,
        country: "AT".into(),
        delivers_to: None,
        shipping_minor: 0,
        policy: None,
    };
    let other = crate::stores::create(&t.ctx(&t.admin), other).await.unwrap().view;
    let aside = Grant { store_id: Some(other.id), ..role(Role::Finance, ScopeLevel::Store) };
    let aside = grant_to(&t, &t.admin, &member, aside).await.unwrap_err();
    assert_eq!(aside.rule.as_deref(), Some("scope_off_the_line"));
    let stale = grant(&t.at(&t.admin, 1), member.id, role(Role::Finance, ScopeLevel::Own)).await.unwrap_err();
    assert_eq!(stale.code, ErrorCode::VersionConflict);
}

async fn token_of(t: &TestShop, member: &View) -> String {
    let row = rows::Entity::find_by_id(member.principal_id).one(t.shop.db.reader()).await.unwrap();
    row.unwrap().token
}

#[tokio::test]
async fn who_is_deactivated_is_out_at_once_with_their_agents() {
    let t = TestShop::open().await;
    let member = invite(&t.ctx(&t.admin), kim(Some(Role::SupportLead), t.store)).await.unwrap().view;
    let token = member.token.clone().unwrap();
    let bot = rows::ActiveModel {
        id: Set(PrincipalId::new(ulid::Ulid(77))),
        name: Set("bot".into()),
        role: Set(Role::None),
        token: Set("tok-bot".into()),
        is_agent: Set(true),
        on_behalf_of: Set(Some(member.principal_id)),
        brand_id: Set(None),
        store_id: Set(None),
        customer_id: Set(None),
        created_at: Set(t.ctx(&t.admin).now()),
        deactivated_at: Set(None),
    };
    bot.insert(t.shop.db.reader()).await.unwrap();
    let sealed = principals::door_token("a secret of the doors", member.principal_id);
    for token in [token.as_str(), "tok-bot", &sealed] {
        assert!(sign_in(&t, token).await.is_ok(), "{token}");
    }
    let gone = deactivate(&t.at(&t.admin, 1), member.id, Deactivate::default()).await.unwrap().view;
    assert!(!gone.is_active && gone.deactivated_at.is_some());
    for token in [token.as_str(), "tok-bot", &sealed] {
        let refused = sign_in(&t, token).await.unwrap_err();
        assert_eq!(
            (refused.code, refused.rule.as_deref()),
            (ErrorCode::AuthenticationRequired, Some("token_revoked"))
        );
    }
    assert!(principals::by_name(&t.shop, "kim@harbour.example").await.is_err());
    let twice =
        deactivate(&t.at(&t.admin, gone.version), member.id, Deactivate::default()).await.unwrap_err();
    assert_eq!(twice.rule.as_deref(), Some("staff_deactivated"));
    let late = grant_to(&t, &t.admin, &gone, role(Role::Finance, ScopeLevel::Own)).await.unwrap_err();
    assert_eq!(late.rule.as_deref(), Some("staff_deactivated"));
    let inactive = Filter { is_active: Some(false), ..Filter::default() };
    assert_eq!(list(&t.ctx(&t.admin), inactive, Default::default()).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn the_last_administrator_stays() {
    let t = TestShop::open().await;
    let all = list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items;
    let root = all.iter().find(|member| member.principal_id == t.admin.id).unwrap();
    let last = deactivate(&t.at(&t.admin, root.version), root.id, Deactivate::default()).await.unwrap_err();
    assert_eq!(last.rule.as_deref(), Some("last_admin"));
    let input = Invite { scope: ScopeLevel::Tenant, store_id: None, ..kim(Some(Role::Admin), t.store) };
    let second = invite(&t.ctx(&t.admin), input).await.unwrap().view;
    deactivate(&t.at(&t.admin, root.version), root.id, Deactivate::default()).await.unwrap();
    let second = sign_in(&t, second.token.as_deref().unwrap()).await.unwrap();
    let own = list(&second, Filter { is_active: Some(true), ..Filter::default() }, Default::default()).await;
    let own =
        own.unwrap().items.into_iter().find(|member| member.principal_id == second.principal.id).unwrap();
    let last = deactivate(&t.at(&second.principal, own.version), own.id, Deactivate::default()).await;
    assert_eq!(last.unwrap_err().rule.as_deref(), Some("last_admin"));
    // A manager of the brand does not even see who works above it.
    let mona = manager(&t).await;
    let foreign = deactivate(&t.at(&mona, own.version), own.id, Deactivate::default()).await.unwrap_err();
    assert_eq!(foreign.code, ErrorCode::NotFound);
}

/// A second brand, and more orders than anybody looks through.
async fn grown(t: &TestShop) {
    let at = t.ctx(&t.admin).now();
    let second = brands::ActiveModel {
        id: Set(BrandId::new(ulid::Ulid(4))),
        name: Set("Copper".into()),
        created_at: Set(at),
    };
    second.insert(t.shop.db.reader()).await.unwrap();
    let level = inventory_levels::ActiveModel {
        variant_id: Set(t.goods.blue_mug),
        location_id: Set(t.location),
        on_hand: Set(100),
        reserved: Set(0),
        version: Set(1),
    };
    level.update(t.shop.db.reader()).await.unwrap();
    for _ in 0..51 {
        t.placed(&[(t.goods.blue_mug, 1)]).await;
    }
}

#[tokio::test]
async fn power_over_everything_takes_two() {
    let t = TestShop::open().await;
    let input = Invite { scope: ScopeLevel::Tenant, store_id: None, ..kim(Some(Role::Admin), t.store) };
    let second = invite(&t.ctx(&t.admin), input.clone()).await.unwrap().view;
    let second = sign_in(&t, second.token.as_deref().unwrap()).await.unwrap().principal;
    grown(&t).await;
    let third = invite(&t.ctx(&t.admin), Invite { email: "lu@harbour.example".into(), ..input }).await;
    assert_eq!(third.unwrap_err().rule.as_deref(), Some("grant_needs_approval"));

    let all = list(&t.ctx(&t.admin), Filter::default(), Default::default()).await.unwrap().items;
    let lea = all.iter().find(|member| member.principal_id == t.lead.id).unwrap();
    let everything = role(Role::Admin, ScopeLevel::Tenant);
    let pending = grant_to(&t, &t.admin, lea, everything.clone()).await.unwrap_err();
    assert_eq!(
        (pending.code, pending.rule.as_deref()),
        (ErrorCode::ApprovalPending, Some("approval_required"))
    );
    // Reading everything, or writing in one brand, takes one.
    let reads = grant_to(&t, &t.admin, lea, role(Role::Auditor, ScopeLevel::Tenant)).await.unwrap();
    let in_brand = Grant { brand_id: Some(t.brand), ..role(Role::BrandManager, ScopeLevel::Brand) };
    let lea = grant_to(&t, &t.admin, &reads, in_brand).await.unwrap();

    let ask = approvals::Request {
        operation: "grant_staff_role".into(),
        subject: lea.id.to_string(),
        input: serde_json::json!({ "role": "admin", "scope": "tenant" }).as_object().unwrap().clone(),
        reason: "takes over".into(),
        action_id: None,
    };
    let asked = approvals::request(&t.ctx(&t.admin), ask).await.unwrap().view;
    assert_eq!(asked.subject_version, Some(lea.version));
    // Who works below does not see it, and nobody decides their own.
    let mona = t.ctx(&manager(&t).await);
    let unseen = approvals::get(&mona, asked.id).await.unwrap_err();
    assert_eq!(unseen.code, ErrorCode::NotFound);
    let own = approvals::approve(&t.at(&t.admin, asked.version), asked.id, Default::default()).await;
    assert_eq!(own.unwrap_err().code, ErrorCode::Forbidden);
    approvals::approve(&t.at(&second, asked.version), asked.id, Default::default()).await.unwrap();

    let with_approval = Grant { approval_id: Some(asked.id), ..everything };
    let other = Grant { role: Some(Role::Finance), ..with_approval.clone() };
    let mismatch = grant_to(&t, &t.admin, &lea, other).await.unwrap_err();
    assert_eq!(mismatch.rule.as_deref(), Some("approval_mismatch"));
    let lea = grant_to(&t, &t.admin, &lea, with_approval).await.unwrap();
    assert_eq!(lea.roles.last().unwrap().approval_id, Some(asked.id));
    let used = approvals::get(&t.ctx(&t.admin), asked.id).await.unwrap();
    assert_eq!(used.status, ApprovalStatus::Used);
    let lead = principals::by_id(&t.shop, t.lead.id).await.unwrap().unwrap();
    assert_eq!(lead.acting(Capability::ReportsFinance).scope, Scope::Tenant);
}

#[tokio::test]
async fn a_store_that_waives_the_gate_waives_it_for_grants() {
    let t = TestShop::open().await;
    grown(&t).await;
    let store = stores::ActiveModel {
        id: Set(t.store),
        policy: Set(shop_domain::policy::Policy::tau2()),
        ..Default::default()
    };
    store.update(t.shop.db.reader()).await.unwrap();
    let input = Invite { scope: ScopeLevel::Tenant, store_id: None, ..kim(Some(Role::Admin), t.store) };
    assert!(invite(&t.ctx(&t.admin), input).await.is_ok());
}
