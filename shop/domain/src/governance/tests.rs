use std::collections::BTreeSet;

use proptest::prelude::*;
use ulid::Ulid;

use super::*;
use crate::ids::{BrandId, CustomerId, PrincipalId, StoreId};
use crate::operations::{Class, OPERATIONS, operation};
use crate::policy::Policy;

fn person(role: Role, scope: Scope) -> Principal {
    Principal::human(PrincipalId::new(Ulid(1)), "Kim", role, scope)
}

fn shopper() -> Principal {
    person(Role::Shopper, Scope::Customer(CustomerId::new(Ulid(7))))
}

#[test]
fn nobody_runs_anything_without_a_role() {
    let nobody = person(Role::None, Scope::Tenant);
    for operation in &OPERATIONS {
        let decision = may_run(&nobody, operation);
        assert_eq!((decision.answer, decision.layer), (Answer::Deny, Layer::Capability), "{}", operation.id);
    }
}

#[test]
fn an_admin_person_runs_everything() {
    let admin = person(Role::Admin, Scope::Tenant);
    assert!(OPERATIONS.iter().all(|operation| may_run(&admin, operation).is_allowed()));
}

#[test]
fn an_auditor_only_reads() {
    let auditor = person(Role::Auditor, Scope::Tenant);
    for operation in &OPERATIONS {
        let decision = may_run(&auditor, operation);
        // Asking the gateway what happened is a write for the class table and a read for the auditor.
        let is_look_up = operation.id.starts_with("sync_");
        assert_eq!(decision.is_allowed(), operation.class == Class::R || is_look_up, "{}", operation.id);
        let only_reads = operation.capability.only_reads();
        assert_eq!(only_reads, operation.class == Class::R || is_look_up, "{}", operation.id);
    }
}

#[test]
fn an_agent_has_what_its_person_has_but_the_deciding() {
    for &role in Role::ALL {
        let person = person(role, Scope::Tenant);
        let agent = person.agent(PrincipalId::new(Ulid(2)), "bot");
        assert_eq!((agent.role, agent.scope, agent.person()), (role, person.scope, person.id));
        for &capability in Capability::ALL {
            let expected = may(&person, capability).is_allowed() && capability != Capability::ApprovalsDecide;
            assert_eq!(may(&agent, capability).is_allowed(), expected, "{role} {capability}");
        }
        let its_agent = agent.agent(PrincipalId::new(Ulid(3)), "bot of bot");
        assert_eq!(its_agent.person(), person.id);
    }
    let lead = person(Role::SupportLead, Scope::Tenant).agent(PrincipalId::new(Ulid(2)), "bot");
    assert_eq!(may(&lead, Capability::ApprovalsDecide).layer, Layer::Approval);
}

#[test]
fn a_shopper_does_own_things_and_no_staff_work() {
    for (id, answer, layer) in [
        ("search_products", Answer::Allow, Layer::Capability),
        ("place_order_from_cart", Answer::Allow, Layer::Capability),
        ("cancel_order", Answer::Allow, Layer::Capability),
        ("change_order_delivery_address", Answer::Allow, Layer::Capability),
        ("authorize_payment", Answer::Allow, Layer::Capability),
        ("capture_payment", Answer::Allow, Layer::Capability),
        ("refund_unshipped_items", Answer::Allow, Layer::Capability),
        ("request_return", Answer::Allow, Layer::Capability),
        ("request_exchange", Answer::Allow, Layer::Capability),
        ("redirect_shipment", Answer::Allow, Layer::Capability),
        ("report_delivery_exception", Answer::Allow, Layer::Capability),
        ("redeem_gift_card", Answer::Allow, Layer::Capability),
        ("request_approval", Answer::Allow, Layer::Capability),
        ("get_variant_availability", Answer::Allow, Layer::Capability),
        ("refund_without_return", Answer::NeedsApproval, Layer::Approval),
        ("send_replacement", Answer::NeedsApproval, Layer::Approval),
        ("issue_store_credit", Answer::Deny, Layer::Capability),
        ("issue_gift_card", Answer::Deny, Layer::Capability),
        ("create_draft_order", Answer::Deny, Layer::Capability),
        ("receive_return_items", Answer::Deny, Layer::Capability),
        ("inspect_return_items", Answer::Deny, Layer::Capability),
        ("approve_return", Answer::Deny, Layer::Capability),
        ("create_fulfillment", Answer::Deny, Layer::Capability),
        ("mark_fulfillment_delivered", Answer::Deny, Layer::Capability),
        ("list_customers", Answer::Deny, Layer::Capability),
        ("list_order_notes", Answer::Deny, Layer::Capability),
        ("approve_request", Answer::Deny, Layer::Capability),
        ("mark_order_paid_offline", Answer::Deny, Layer::Capability),
        ("list_audit_log", Answer::Deny, Layer::Capability),
    ] {
        let decision = may_run(&shopper(), operation(id));
        assert_eq!((decision.answer, decision.layer), (answer, layer), "{id}: {}", decision.why);
    }
}

#[test]
fn the_staff_lists_name_operations_that_a_shopper_would_otherwise_run() {
    let listed: Vec<&str> = STAFF_ONLY.iter().chain(STAFF_AGREES).copied().collect();
    assert_eq!(listed.iter().collect::<BTreeSet<_>>().len(), listed.len());
    for id in listed {
        assert!(
            may(&shopper(), operation(id).capability).is_allowed(),
            "{id} is denied by its capability already"
        );
    }
}

#[test]
fn who_decides_approvals() {
    let deciders: Vec<Role> =
        Role::ALL.iter().copied().filter(|role| role.has(Capability::ApprovalsDecide)).collect();
    assert_eq!(deciders, [Role::SupportLead, Role::StoreManager, Role::BrandManager, Role::Admin]);
    assert_eq!(Role::Auditor.capabilities().filter(|c| c.as_str().ends_with(".write")).count(), 0);
}

#[test]
fn scopes_deny_unless_they_name_the_owner() {
    let (brand, store, customer) = (BrandId::new(Ulid(1)), StoreId::new(Ulid(2)), CustomerId::new(Ulid(3)));
    let order = Owner { brand: Some(brand), store: Some(store), customer: Some(customer) };
    let guest_order = Owner { customer: None, ..order };
    for (scope, order_seen, guest_seen, unowned_seen) in [
        (Scope::Tenant, true, true, true),
        (Scope::Brand(brand), true, true, false),
        (Scope::Brand(BrandId::new(Ulid(9))), false, false, false),
        (Scope::Store(store), true, true, false),
        (Scope::Store(StoreId::new(Ulid(9))), false, false, false),
        (Scope::Customer(customer), true, false, false),
        (Scope::Customer(CustomerId::new(Ulid(9))), false, false, false),
    ] {
        assert_eq!(sees(&scope, &order), order_seen, "{scope}");
        assert_eq!(sees(&scope, &guest_order), guest_seen, "{scope}");
        assert_eq!(sees(&scope, &Owner::default()), unowned_seen, "{scope}");
        let decision = in_scope(&person(Role::Admin, scope), &order);
        assert_eq!((decision.is_allowed(), decision.layer), (order_seen, Layer::Scope));
    }
}

#[test]
fn risk_rises_with_the_facts() {
    use FactorKind as F;
    let refund = RiskFacts { amount_minor: 2_000, order_total_minor: 9_000, ..RiskFacts::of(Class::M) };
    for (facts, level, factors) in [
        (RiskFacts::of(Class::W), RiskLevel::Low, vec![]),
        (RiskFacts::of(Class::M), RiskLevel::Low, vec![F::MovesMoney]),
        (refund, RiskLevel::Low, vec![F::MovesMoney]),
        (
            RiskFacts { refunded_today_minor: 3_000, ..refund },
            RiskLevel::Medium,
            vec![F::MovesMoney, F::MostOfTheOrder],
        ),
        (
            RiskFacts { irreversible: true, repeats_30d: 3, order_age_days: 91, ..refund },
            RiskLevel::High,
            vec![F::MovesMoney, F::Irreversible, F::RepeatedRequests, F::OldOrder],
        ),
        (
            RiskFacts { rows: 51, brands: 2, ..RiskFacts::of(Class::W) },
            RiskLevel::High,
            vec![F::ManyRows, F::SeveralBrands],
        ),
        (
            RiskFacts { refunded_today_minor: 90_000, ..RiskFacts::of(Class::M) },
            RiskLevel::Low,
            vec![F::MovesMoney],
        ),
    ] {
        let risk = risk(&facts);
        assert_eq!(risk.level, level, "{facts:?}");
        assert_eq!(risk.factors.iter().map(|f| f.factor).collect::<Vec<_>>(), factors, "{facts:?}");
    }
}

#[test]
fn the_gate_asks_above_the_limit_and_at_high_risk() {
    let policy = Policy::default();
    let refund = |amount_minor, refunded_today_minor| {
        risk(&RiskFacts {
            amount_minor,
            refunded_today_minor,
            order_total_minor: 90_000,
            ..RiskFacts::of(Class::M)
        })
    };
    assert_eq!(gate(&refund(20_000, 0), &policy), Gate::Pass);
    assert_eq!(
        gate(&refund(5_000, 15_001), &policy),
        Gate::NeedsApproval {
            reason: "20001 minor units would be given away today, above the limit of 20000".to_owned()
        }
    );
    let bulk = risk(&RiskFacts { brands: 2, rows: 51, ..RiskFacts::of(Class::W) });
    assert_eq!(
        gate(&bulk, &policy),
        Gate::NeedsApproval {
            reason: "high risk: touches more than 50 rows; touches several brands".to_owned()
        }
    );
    assert_eq!(gate(&bulk, &Policy::tau2()), Gate::Pass);
}

proptest! {
    #[test]
    fn splitting_a_refund_never_gets_more_past_the_gate(
        parts in proptest::collection::vec(1_i64..30_000, 1..12),
    ) {
        let policy = Policy::default();
        let mut given = 0;
        for amount_minor in parts {
            let facts = RiskFacts { amount_minor, refunded_today_minor: given, ..RiskFacts::of(Class::M) };
            if gate(&risk(&facts), &policy) == Gate::Pass {
                given += amount_minor;
            }
        }
        prop_assert!(given <= policy.refund_limit_minor);
    }
}

fn grant(role: &str, capabilities: &[Capability], scope: Scope) -> Grant {
    Grant { role: role.to_owned(), capabilities: capabilities.to_vec(), scope }
}

#[test]
fn a_grant_holds_at_its_scope_and_nowhere_above() {
    use Capability as C;
    let (brand, store) = (Scope::Brand(BrandId::new(Ulid(1))), Scope::Store(StoreId::new(Ulid(2))));
    let mut kim = person(Role::SupportAgent, store);
    kim.grants = vec![
        grant("returns desk", &[C::ReturnsApprove, C::RefundsWrite], brand),
        grant("counter", &[C::PricingWrite], store),
    ];
    for (capability, scope, role) in [
        // Where two roles hold it, the wider one counts.
        (C::RefundsWrite, brand, Some("returns desk")),
        (C::ReturnsApprove, brand, Some("returns desk")),
        (C::PricingWrite, store, Some("counter")),
        (C::OrdersNotes, store, Some("support_agent")),
        (C::TaxWrite, store, None),
    ] {
        let acting = kim.acting(capability);
        assert_eq!((acting.scope, acting.holds(capability)), (scope, role), "{capability}");
        assert_eq!(may(&acting, capability).is_allowed(), role.is_some(), "{capability}");
    }
    // What holds in one store does not hold in the whole brand.
    let in_brand = kim.acting(C::ReturnsApprove);
    for (capability, is_held) in [(C::PricingWrite, false), (C::OrdersNotes, false), (C::RefundsWrite, true)]
    {
        assert_eq!(may(&in_brand, capability).is_allowed(), is_held, "{capability}");
    }
    assert_eq!(in_brand.acting(C::OrdersNotes).scope, store);
    let refusal = may(&kim, C::TaxWrite);
    assert_eq!(refusal.why, "support_agent, returns desk, counter does not hold tax.write");
}

#[test]
fn a_principal_with_only_a_grant_can_do_that_and_nothing_else() {
    let store = Scope::Store(StoreId::new(Ulid(2)));
    let mut kim = person(Role::None, store);
    kim.grants = vec![grant("stock clerk", &[Capability::InventoryRead, Capability::InventoryWrite], store)];
    for operation in &OPERATIONS {
        let is_stock = operation.capability.as_str().starts_with("inventory.");
        assert_eq!(may_run(&kim, operation).is_allowed(), is_stock, "{}", operation.id);
    }
}

#[test]
fn nobody_gives_more_than_they_have() {
    use Capability as C;
    let (brand, store) = (BrandId::new(Ulid(1)), StoreId::new(Ulid(2)));
    let (in_store, in_brand) = (
        Owner { brand: Some(brand), store: Some(store), customer: None },
        Owner { brand: Some(brand), ..Owner::default() },
    );
    let manager = person(Role::BrandManager, Scope::Brand(brand));
    let bot = manager.agent(PrincipalId::new(Ulid(2)), "bot");
    let admin = person(Role::Admin, Scope::Tenant);
    let lead: Vec<C> = Role::SupportLead.capabilities().collect();
    for (giver, capabilities, place, layer, is_allowed) in [
        (&manager, lead.as_slice(), &in_store, Layer::Scope, true),
        (&manager, &lead, &in_brand, Layer::Scope, true),
        (&manager, &lead, &Owner::default(), Layer::Scope, false),
        (&manager, &[C::PaymentsOffline], &in_store, Layer::Capability, false),
        (&admin, C::ALL, &Owner::default(), Layer::Scope, true),
        // An agent cannot sign off, so it cannot make somebody who can.
        (&bot, &lead, &in_store, Layer::Approval, false),
        (&bot, &[C::OrdersNotes], &in_store, Layer::Scope, true),
    ] {
        let decision = may_give(giver, capabilities, place);
        assert_eq!((decision.is_allowed(), decision.layer), (is_allowed, layer), "{}", decision.why);
    }
}
