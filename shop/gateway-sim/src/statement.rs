//! The statement that merchants reconcile with: the lines that concern money, in their words.

use shop_gateway::wire::ledger::{Effect, Line};
use shop_gateway::wire::{BalanceTransaction, PAGE_MAX, Page, Payment, TransactionKind};

use crate::books::{self, Books};

pub(crate) fn page(books: &Books, after: u64, limit: u32) -> Page<BalanceTransaction> {
    let limit = usize::try_from(limit.clamp(1, PAGE_MAX)).unwrap_or(1);
    let lines = books.lines();
    let start = lines.partition_point(|line| line.seq <= after);
    let mut entries = lines.iter().skip(start).filter_map(|line| transaction(books, line));
    let data: Vec<_> = entries.by_ref().take(limit).collect();
    let has_more = entries.next().is_some();
    let next_after = data.last().filter(|_| has_more).map(|last| last.seq);
    Page { data, next_after }
}

/// The payments that were ever disputed, in the order in which that began.
pub(crate) fn disputed(books: &Books, after: u64, limit: u32) -> Page<Payment> {
    let limit = usize::try_from(limit.clamp(1, PAGE_MAX)).unwrap_or(1);
    let lines = books.lines();
    let start = lines.partition_point(|line| line.seq <= after);
    let mut entries = lines.iter().skip(start).filter_map(|line| match &line.effect {
        Effect::Disputed { payment, .. } => Some((line.seq, books.charge(payment)?.payment.clone())),
        Effect::Authorized { .. }
        | Effect::Captured { .. }
        | Effect::Voided { .. }
        | Effect::Refunded { .. }
        | Effect::RefundSettled { .. }
        | Effect::Contested { .. }
        | Effect::DisputeClosed { .. }
        | Effect::Refused(_)
        | Effect::Fenced => None,
    });
    let found: Vec<_> = entries.by_ref().take(limit).collect();
    let has_more = entries.next().is_some();
    let next_after = found.last().filter(|_| has_more).map(|(seq, _)| *seq);
    Page { data: found.into_iter().map(|(_, payment)| payment).collect(), next_after }
}

fn transaction(books: &Books, line: &Line) -> Option<BalanceTransaction> {
    let (kind, amount_minor, net_minor, refund) = match &line.effect {
        Effect::Authorized { amount_minor, .. } => (TransactionKind::Hold, *amount_minor, 0, None),
        Effect::Captured { amount_minor, .. } => {
            (TransactionKind::Capture, *amount_minor, *amount_minor, None)
        }
        Effect::Voided { amount_minor, .. } => (TransactionKind::Void, *amount_minor, 0, None),
        Effect::Refunded { amount_minor, refund, .. } => {
            (TransactionKind::Refund, *amount_minor, -*amount_minor, Some(refund))
        }
        Effect::RefundSettled { refund, failure: Some(_), .. } => {
            let amount_minor = books.refund(refund)?.amount_minor;
            (TransactionKind::RefundFailure, amount_minor, amount_minor, Some(refund))
        }
        Effect::Disputed { amount_minor, .. } => {
            (TransactionKind::Dispute, *amount_minor, -*amount_minor, None)
        }
        Effect::DisputeClosed { amount_minor, won: true, .. } => {
            (TransactionKind::DisputeWon, *amount_minor, *amount_minor, None)
        }
        Effect::DisputeClosed { won: false, .. }
        | Effect::Contested { .. }
        | Effect::RefundSettled { failure: None, .. }
        | Effect::Refused(_)
        | Effect::Fenced => return None,
    };
    let payment = &books.charge(books::payment_of(&line.effect)?)?.payment;
    let reference = match refund {
        Some(refund) => books.refund(refund)?.reference.clone(),
        None => payment.reference.clone(),
    };
    Some(BalanceTransaction {
        seq: line.seq,
        at: line.at,
        kind,
        amount_minor,
        net_minor,
        currency: payment.currency.clone(),
        payment: payment.id.clone(),
        refund: refund.cloned(),
        reference,
        key: line.key.clone(),
    })
}
