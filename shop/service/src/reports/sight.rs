//! What of the logs lies within a scope: a line about something that the caller may see, or by somebody who works there.

use sea_orm::sea_query::{Expr, ExprTrait, Query, SelectStatement, SimpleExpr};
use sea_orm::{ColumnTrait, Condition, EntityTrait, Iden};
use shop_domain::governance::Scope;
use shop_store::entities::{
    approvals, audit_log, carts, customers, events, exchanges, fulfillments, gift_cards, locations, payments,
    principals, products, refunds, returns, stores, variants,
};

use crate::{orders, stores as store_service};

/// Events about what lies within a scope.
pub(super) fn events_in_sight(scope: &Scope) -> Condition {
    if *scope == Scope::Tenant {
        return Condition::all();
    }
    let of_order = events::Column::OrderId.in_subquery(orders::ids_in_sight(scope));
    is_one_of(events::Column::Subject, things_of_store(scope)).add(of_order)
}

/// Entries about what lies within a scope, or by somebody whose own scope lies within it.
pub(super) fn audit_in_sight(scope: &Scope) -> Condition {
    if *scope == Scope::Tenant {
        return Condition::all();
    }
    let mut things = things_of_store(scope);
    things.extend(things_of_order(scope));
    is_one_of(audit_log::Column::Subject, things)
        .add(audit_log::Column::PrincipalId.in_subquery(people(scope)))
        .add(audit_log::Column::OnBehalfOf.in_subquery(people(scope)))
}

fn is_one_of(subject: impl ColumnTrait, things: Vec<SelectStatement>) -> Condition {
    things.into_iter().fold(Condition::any(), |any, ids| any.add(subject.in_subquery(ids)))
}

fn things_of_order(scope: &Scope) -> Vec<SelectStatement> {
    let of = || orders::ids_in_sight(scope);
    vec![
        of(),
        ids(payments::Entity, payments::Column::Id, payments::Column::OrderId.in_subquery(of())),
        ids(refunds::Entity, refunds::Column::Id, refunds::Column::OrderId.in_subquery(of())),
        ids(returns::Entity, returns::Column::Id, returns::Column::OrderId.in_subquery(of())),
        ids(exchanges::Entity, exchanges::Column::Id, exchanges::Column::OrderId.in_subquery(of())),
        ids(fulfillments::Entity, fulfillments::Column::Id, fulfillments::Column::OrderId.in_subquery(of())),
    ]
}

fn things_of_store(scope: &Scope) -> Vec<SelectStatement> {
    let of = || own_stores(scope);
    let brands = Query::select()
        .column(stores::Column::BrandId)
        .from(stores::Entity)
        .and_where(stores::Column::Id.in_subquery(of()))
        .to_owned();
    let own = ids(products::Entity, products::Column::Id, products::Column::BrandId.in_subquery(brands));
    vec![
        of(),
        ids(customers::Entity, customers::Column::Id, customers::Column::StoreId.in_subquery(of())),
        ids(carts::Entity, carts::Column::Id, carts::Column::StoreId.in_subquery(of())),
        ids(gift_cards::Entity, gift_cards::Column::Id, gift_cards::Column::StoreId.in_subquery(of())),
        ids(approvals::Entity, approvals::Column::Id, approvals::Column::StoreId.in_subquery(of())),
        ids(locations::Entity, locations::Column::Id, locations::Column::StoreId.in_subquery(of())),
        ids(variants::Entity, variants::Column::Id, variants::Column::ProductId.in_subquery(own.clone())),
        own,
    ]
}

/// Who works or buys within a scope.
fn people(scope: &Scope) -> SelectStatement {
    let of = || own_stores(scope);
    let buyers = ids(customers::Entity, customers::Column::Id, customers::Column::StoreId.in_subquery(of()));
    let own =
        principals::Column::StoreId.in_subquery(of()).or(principals::Column::CustomerId.in_subquery(buyers));
    let own = match *scope {
        Scope::Brand(brand) => own.or(principals::Column::BrandId.eq(brand)),
        Scope::Tenant | Scope::Store(_) | Scope::Customer(_) => own,
    };
    ids(principals::Entity, principals::Column::Id, own)
}

/// A customer runs no store, though every store can be seen by anybody.
fn own_stores(scope: &Scope) -> SelectStatement {
    match scope {
        Scope::Tenant | Scope::Brand(_) | Scope::Store(_) => store_service::ids_in_sight(scope),
        Scope::Customer(_) => ids(stores::Entity, stores::Column::Id, Expr::value(false)),
    }
}

fn ids(table: impl EntityTrait, id: impl ColumnTrait + Iden, own: SimpleExpr) -> SelectStatement {
    Query::select().column(id).from(table).and_where(own).to_owned()
}
