//! Double entry for all money and money-like value: each event of the shop as postings that sum to zero.
//!
//! Debits are positive and credits negative. `cash_at_gateway` is always captures minus refunds minus disputed
//! money, which is what the gateway's own books must say.

use thiserror::Error;

use crate::payments::Tender;
use crate::totals::Totals;
use crate::words::words;

words! {
    /// An account of the shop's books.
    pub enum Account {
        /// Money that the gateway holds for the shop.
        CashAtGateway = "cash_at_gateway",
        /// What customers owe for their orders; negative where the shop owes them.
        Receivable = "receivable",
        Revenue = "revenue",
        TaxPayable = "tax_payable",
        ShippingRevenue = "shipping_revenue",
        Discounts = "discounts",
        /// What the shop owes as store credit.
        StoreCredit = "store_credit",
        /// What the shop owes on gift cards.
        GiftCards = "gift_cards",
        /// Refunds that are decided and not paid yet.
        RefundsPayable = "refunds_payable",
        /// What the shop gave away.
        Goodwill = "goodwill",
        /// Gift-card money that nobody can claim any more.
        Breakage = "breakage",
        Postage = "postage",
        /// Cash and bank transfers that no gateway sees.
        OfflineCash = "offline_cash",
        /// Money that banks have taken back until a dispute is decided.
        Disputes = "disputes",
    }
}

/// One posting to one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posting {
    /// The account.
    pub account: Account,
    /// Debit if positive, credit if negative, in minor units.
    pub minor: i64,
}

/// Why an event cannot be posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LedgerError {
    /// An amount is below zero; events that go the other way have functions of their own.
    #[error("a ledger event cannot have a negative amount")]
    Negative,
    /// An amount does not fit.
    #[error("the amount is too large for the ledger")]
    Overflow,
}

/// The postings of one event.
pub type Postings = Result<Vec<Posting>, LedgerError>;

/// The sale within an order, by the accounts it goes to. Tax is in none but `tax_minor`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sale {
    /// Goods before discounts, without tax.
    pub goods_minor: i64,
    /// Shipping after discounts, without tax.
    pub shipping_minor: i64,
    /// Discounts on goods.
    pub discount_minor: i64,
    /// All tax.
    pub tax_minor: i64,
    /// What the customer owes: goods and shipping and tax, less discounts.
    pub total_minor: i64,
}

impl Sale {
    /// The sale that an order's totals describe.
    pub fn of(totals: &Totals) -> Result<Self, LedgerError> {
        let shipping = &totals.shipping;
        let shipping_minor = difference(shipping.total_minor, shipping.tax_minor)?;
        let discount_minor = difference(totals.discount_minor, shipping.discount_minor)?;
        let without_tax = difference(totals.total_minor, totals.tax_minor)?;
        let goods_minor = sum(difference(without_tax, shipping_minor)?, discount_minor)?;
        Ok(Self {
            goods_minor,
            shipping_minor,
            discount_minor,
            tax_minor: totals.tax_minor,
            total_minor: totals.total_minor,
        })
    }
}

/// What a refund takes back, by where it comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RefundParts {
    /// Money the customer has paid beyond what the order costs now, after a cancellation or an edit.
    pub overpaid_minor: i64,
    /// Goods, without tax.
    pub goods_minor: i64,
    /// Shipping, without tax.
    pub shipping_minor: i64,
    /// Tax on both.
    pub tax_minor: i64,
}

/// An order is placed: the customer owes its total.
pub fn order_placed(sale: &Sale) -> Postings {
    post(&[
        (Account::Receivable, sale.total_minor),
        (Account::Discounts, sale.discount_minor),
        (Account::Revenue, negative(sale.goods_minor)?),
        (Account::ShippingRevenue, negative(sale.shipping_minor)?),
        (Account::TaxPayable, negative(sale.tax_minor)?),
    ])
}

/// An order is cancelled: nothing is owed any more, and what was paid is owed back.
pub fn order_cancelled(sale: &Sale) -> Postings {
    reversed(order_placed(sale)?)
}

/// An order edit replaces one sale by another.
pub fn order_edited(before: &Sale, after: &Sale) -> Postings {
    let mut postings = order_cancelled(before)?;
    postings.extend(order_placed(after)?);
    merged(postings)
}

/// Money came in.
pub fn captured(tender: Tender, minor: i64) -> Postings {
    transfer(account_of(tender), Account::Receivable, minor)
}

/// A refund is decided.
pub fn refund_committed(parts: &RefundParts) -> Postings {
    let RefundParts { overpaid_minor, goods_minor, shipping_minor, tax_minor } = *parts;
    if [overpaid_minor, goods_minor, shipping_minor, tax_minor].iter().any(|minor| *minor < 0) {
        return Err(LedgerError::Negative);
    }
    let total = sum(sum(overpaid_minor, goods_minor)?, sum(shipping_minor, tax_minor)?)?;
    post(&[
        (Account::Receivable, overpaid_minor),
        (Account::Revenue, goods_minor),
        (Account::ShippingRevenue, shipping_minor),
        (Account::TaxPayable, tax_minor),
        (Account::RefundsPayable, negative(total)?),
    ])
}

/// A decided refund is given up before it was paid.
pub fn refund_cancelled(parts: &RefundParts) -> Postings {
    reversed(refund_committed(parts)?)
}

/// A decided refund is paid.
pub fn refund_succeeded(tender: Tender, minor: i64) -> Postings {
    transfer(Account::RefundsPayable, account_of(tender), minor)
}

/// A paid refund came back. One that fails before it was paid posts nothing: it is owed as before.
pub fn refund_failed(tender: Tender, minor: i64) -> Postings {
    reversed(refund_succeeded(tender, minor)?)
}

/// Store credit is given for nothing in return.
pub fn store_credit_issued(minor: i64) -> Postings {
    transfer(Account::Goodwill, Account::StoreCredit, minor)
}

/// Store credit is taken back.
pub fn store_credit_deducted(minor: i64) -> Postings {
    transfer(Account::StoreCredit, Account::Goodwill, minor)
}

/// A gift card is given for nothing in return.
pub fn gift_card_issued(minor: i64) -> Postings {
    transfer(Account::Goodwill, Account::GiftCards, minor)
}

/// A gift card's balance becomes store credit.
pub fn gift_card_redeemed(minor: i64) -> Postings {
    transfer(Account::GiftCards, Account::StoreCredit, minor)
}

/// A gift card is voided and its balance lost: the shop owes it to nobody any more.
pub fn gift_card_disabled(minor: i64) -> Postings {
    transfer(Account::GiftCards, Account::Breakage, minor)
}

/// Postage is bought.
pub fn label_bought(minor: i64) -> Postings {
    transfer(Account::Postage, Account::OfflineCash, minor)
}

/// Unused postage is given back.
pub fn label_voided(minor: i64) -> Postings {
    transfer(Account::OfflineCash, Account::Postage, minor)
}

/// A bank takes the money back until the dispute is decided.
pub fn dispute_opened(minor: i64) -> Postings {
    transfer(Account::Disputes, Account::CashAtGateway, minor)
}

/// The dispute is won: the money comes back.
pub fn dispute_won(minor: i64) -> Postings {
    transfer(Account::CashAtGateway, Account::Disputes, minor)
}

/// The dispute is lost or accepted: the money is gone.
pub fn dispute_lost(minor: i64) -> Postings {
    transfer(Account::Goodwill, Account::Disputes, minor)
}

/// Where money of a tender lies, for the shop.
#[must_use]
pub const fn account_of(tender: Tender) -> Account {
    match tender {
        Tender::Gateway => Account::CashAtGateway,
        Tender::StoreCredit => Account::StoreCredit,
        Tender::GiftCard => Account::GiftCards,
        Tender::Offline => Account::OfflineCash,
    }
}

/// The sum of some postings; zero for the postings of any events.
#[must_use]
pub fn balance<'a>(postings: impl IntoIterator<Item = &'a Posting>) -> i128 {
    postings.into_iter().map(|posting| i128::from(posting.minor)).sum()
}

fn transfer(debit: Account, credit: Account, minor: i64) -> Postings {
    if minor < 0 {
        return Err(LedgerError::Negative);
    }
    post(&[(debit, minor), (credit, negative(minor)?)])
}

/// Postings without the empty ones.
fn post(amounts: &[(Account, i64)]) -> Postings {
    let all = amounts.iter().map(|&(account, minor)| Posting { account, minor });
    Ok(all.filter(|posting| posting.minor != 0).collect())
}

fn reversed(postings: Vec<Posting>) -> Postings {
    let turn = |posting: Posting| Ok(Posting { minor: negative(posting.minor)?, ..posting });
    postings.into_iter().map(turn).collect()
}

/// One posting per account, without the empty ones.
fn merged(postings: Vec<Posting>) -> Postings {
    let mut amounts: Vec<(Account, i64)> = Vec::new();
    for Posting { account, minor } in postings {
        match amounts.iter_mut().find(|(known, _)| *known == account) {
            Some((_, total)) => *total = sum(*total, minor)?,
            None => amounts.push((account, minor)),
        }
    }
    post(&amounts)
}

fn sum(a: i64, b: i64) -> Result<i64, LedgerError> {
    a.checked_add(b).ok_or(LedgerError::Overflow)
}

fn difference(a: i64, b: i64) -> Result<i64, LedgerError> {
    a.checked_sub(b).ok_or(LedgerError::Overflow)
}

fn negative(minor: i64) -> Result<i64, LedgerError> {
    minor.checked_neg().ok_or(LedgerError::Overflow)
}

#[cfg(test)]
mod tests;
