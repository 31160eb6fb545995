//! The double-entry ledger: postings are decided in the domain, written here, and always sum to zero.

use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, NotSet, QueryFilter, Set};
use shop_domain::ids::{LedgerTransactionId, OrderId, PaymentId, RefundId};
use shop_domain::ledger::{Account, Posting, Sale};
use shop_domain::money::Currency;
use shop_store::entities::{ledger_entries, orders, payments, refunds};

use crate::Ctx;
use crate::error::{Error, Result};

/// What a ledger transaction is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refs {
    pub(crate) currency: Currency,
    pub(crate) order_id: Option<OrderId>,
    pub(crate) payment_id: Option<PaymentId>,
    pub(crate) refund_id: Option<RefundId>,
}

impl Refs {
    pub(crate) fn order(order: &orders::Model) -> Self {
        Self { currency: order.currency, order_id: Some(order.id), payment_id: None, refund_id: None }
    }

    pub(crate) fn payment(payment: &payments::Model) -> Self {
        Self {
            currency: payment.currency,
            order_id: Some(payment.order_id),
            payment_id: Some(payment.id),
            refund_id: None,
        }
    }

    pub(crate) fn refund(refund: &refunds::Model) -> Self {
        Self {
            currency: refund.currency,
            order_id: Some(refund.order_id),
            payment_id: refund.payment_id,
            refund_id: Some(refund.id),
        }
    }

    pub(crate) fn currency(currency: Currency) -> Self {
        Self { currency, order_id: None, payment_id: None, refund_id: None }
    }
}

/// Writes one transaction.
pub(crate) async fn post(
    tx: &impl ConnectionTrait,
    ctx: &Ctx,
    postings: &[Posting],
    refs: Refs,
    memo: &str,
) -> Result<()> {
    if shop_domain::ledger::balance(postings) != 0 {
        return Err(Error::internal(format!("the postings of `{memo}` do not sum to zero")));
    }
    if postings.is_empty() {
        return Ok(());
    }
    let transaction_id = ctx.id(LedgerTransactionId::new);
    let rows = postings.iter().map(|posting| ledger_entries::ActiveModel {
        id: NotSet,
        transaction_id: Set(transaction_id),
        account: Set(posting.account),
        amount_minor: Set(posting.minor),
        currency: Set(refs.currency),
        order_id: Set(refs.order_id),
        payment_id: Set(refs.payment_id),
        refund_id: Set(refs.refund_id),
        memo: Set(memo.to_owned()),
        created_at: Set(ctx.now()),
    });
    ledger_entries::Entity::insert_many(rows).exec_without_returning(tx).await?;
    Ok(())
}

/// What the customer owes on an order by the books; negative where the shop owes money that no refund claims yet.
pub(crate) async fn receivable(conn: &impl ConnectionTrait, order: OrderId) -> Result<i64> {
    let entries = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::OrderId.eq(order))
        .filter(ledger_entries::Column::Account.eq(Account::Receivable))
        .all(conn)
        .await?;
    Ok(entries.iter().map(|entry| entry.amount_minor).sum())
}

/// An order as the sale it is in the books.
pub(crate) fn sale_of(order: &orders::Model) -> Sale {
    Sale {
        goods_minor: order.subtotal_minor,
        shipping_minor: order.shipping_minor,
        discount_minor: order.discount_minor,
        tax_minor: order.tax_minor,
        total_minor: order.total_minor,
    }
}

/// What of an order's sale still stands in the books: as it was placed or edited, less what was cancelled or given
/// back of it since.
pub(crate) async fn standing_sale(tx: &impl ConnectionTrait, order: OrderId) -> Result<Sale> {
    let rows =
        ledger_entries::Entity::find().filter(ledger_entries::Column::OrderId.eq(order)).all(tx).await?;
    let on = |account: Account| -> i64 {
        rows.iter().filter(|row| row.account == account).map(|row| row.amount_minor).sum()
    };
    let (goods, shipping) = (-on(Account::Revenue), -on(Account::ShippingRevenue));
    let (discount, tax) = (on(Account::Discounts), -on(Account::TaxPayable));
    Ok(Sale {
        goods_minor: goods,
        shipping_minor: shipping,
        discount_minor: discount,
        tax_minor: tax,
        total_minor: goods + shipping + tax - discount,
    })
}

/// The postings that one refund made under a memo.
pub(crate) async fn of_refund(
    tx: &impl ConnectionTrait,
    refund: RefundId,
    memo: &str,
) -> Result<Vec<Posting>> {
    let rows = ledger_entries::Entity::find()
        .filter(ledger_entries::Column::RefundId.eq(refund))
        .filter(ledger_entries::Column::Memo.eq(memo))
        .all(tx)
        .await?;
    Ok(rows.into_iter().map(|row| Posting { account: row.account, minor: row.amount_minor }).collect())
}
