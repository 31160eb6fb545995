use mcp_actions_engine::Map;
use serde::Serialize;
use shop_domain::ids::{AddressId, CustomerId, PaymentMethodId};
use shop_domain::operations::{Operation, operation};
use shop_service::{Ctx, Error, addresses, customers, payment_methods};

use crate::entities::whole_page;
use crate::wire::{block, object};

/// One write to a customer's profile, exactly.
#[derive(Clone, Debug)]
pub(crate) enum Profile {
    Contact(customers::Update),
    SaveAddress(addresses::Create),
    EditAddress(AddressId, addresses::Update),
    RemoveAddress(AddressId),
    DefaultAddress(AddressId),
    DefaultMethod(PaymentMethodId),
    RemoveMethod(PaymentMethodId),
}

/// What was written.
#[derive(Clone, Debug)]
pub(crate) enum Kept {
    Customer(Box<customers::View>),
    Address(Box<addresses::View>),
    Method(Box<payment_methods::View>),
}

impl Profile {
    pub(super) const fn operation(&self) -> &'static Operation {
        match self {
            Self::Contact(_) => operation("update_customer"),
            Self::SaveAddress(_) => operation("create_customer_address"),
            Self::EditAddress(..) => operation("update_customer_address"),
            Self::RemoveAddress(_) => operation("delete_customer_address"),
            Self::DefaultAddress(_) => operation("set_default_customer_address"),
            Self::DefaultMethod(_) => operation("set_default_payment_method"),
            Self::RemoveMethod(_) => operation("detach_payment_method"),
        }
    }

    pub(super) fn subject(&self, customer: CustomerId) -> String {
        match self {
            Self::Contact(_) | Self::SaveAddress(_) => customer.to_string(),
            Self::EditAddress(id, _) | Self::RemoveAddress(id) | Self::DefaultAddress(id) => id.to_string(),
            Self::DefaultMethod(id) | Self::RemoveMethod(id) => id.to_string(),
        }
    }

    pub(super) fn input(&self) -> Map {
        fn body(input: &impl Serialize) -> Map {
            object(block(input))
        }
        match self {
            Self::Contact(input) => body(input),
            Self::SaveAddress(input) => body(input),
            Self::EditAddress(_, input) => body(input),
            Self::RemoveAddress(_)
            | Self::DefaultAddress(_)
            | Self::DefaultMethod(_)
            | Self::RemoveMethod(_) => Map::new(),
        }
    }

    /// The version of what it changes; 0 of what is not there, which may be because it was removed before.
    pub(super) async fn version(&self, ctx: &Ctx, customer: CustomerId) -> Result<i64, Error> {
        Ok(match self {
            Self::Contact(_) | Self::SaveAddress(_) => customers::get(ctx, customer).await?.version,
            Self::EditAddress(id, _) | Self::RemoveAddress(id) | Self::DefaultAddress(id) => {
                address(ctx, customer, *id).await?.map_or(0, |entry| entry.version)
            }
            Self::DefaultMethod(id) | Self::RemoveMethod(id) => {
                method(ctx, customer, *id).await?.map_or(0, |method| method.version)
            }
        })
    }

    pub(super) async fn run(self, ctx: &Ctx, customer: CustomerId) -> Result<Kept, Error> {
        let entry = |entry| Kept::Address(Box::new(entry));
        let way = |method| Kept::Method(Box::new(method));
        Ok(match self {
            Self::Contact(input) => {
                Kept::Customer(Box::new(customers::update(ctx, customer, input).await?.view))
            }
            Self::SaveAddress(input) => entry(addresses::create(ctx, customer, input).await?.view),
            Self::EditAddress(id, input) => entry(addresses::update(ctx, customer, id, input).await?.view),
            Self::RemoveAddress(id) => entry(addresses::delete(ctx, customer, id).await?.view),
            Self::DefaultAddress(id) => entry(addresses::set_default(ctx, customer, id).await?.view),
            Self::DefaultMethod(id) => way(payment_methods::set_default(ctx, customer, id).await?.view),
            Self::RemoveMethod(id) => way(payment_methods::detach(ctx, customer, id).await?.view),
        })
    }

    /// What was written under the key of a call, if anything was.
    pub(super) async fn answered(&self, ctx: &Ctx) -> Result<Option<Kept>, Error> {
        let operation = self.operation();
        Ok(match self {
            Self::Contact(_) => ctx.answered(operation).await?.map(Box::new).map(Kept::Customer),
            Self::SaveAddress(_)
            | Self::EditAddress(..)
            | Self::RemoveAddress(_)
            | Self::DefaultAddress(_) => ctx.answered(operation).await?.map(Box::new).map(Kept::Address),
            Self::DefaultMethod(_) | Self::RemoveMethod(_) => {
                ctx.answered(operation).await?.map(Box::new).map(Kept::Method)
            }
        })
    }

    /// Whether the profile still is as it was written.
    pub(super) async fn stands(&self, ctx: &Ctx, customer: CustomerId, kept: &Kept) -> Result<bool, Error> {
        let same = |now: Option<addresses::View>| match (kept, now) {
            (Kept::Address(then), Some(now)) => now.label == then.label && now.address == then.address,
            (Kept::Customer(_) | Kept::Address(_) | Kept::Method(_), _) => false,
        };
        Ok(match self {
            Self::Contact(input) => says(&customers::get(ctx, customer).await?, input),
            Self::SaveAddress(_) => match kept {
                Kept::Address(then) => same(address(ctx, customer, then.id).await?),
                Kept::Customer(_) | Kept::Method(_) => false,
            },
            Self::EditAddress(id, _) => same(address(ctx, customer, *id).await?),
            Self::RemoveAddress(id) => address(ctx, customer, *id).await?.is_none(),
            Self::DefaultAddress(id) => {
                address(ctx, customer, *id).await?.is_some_and(|entry| entry.is_default)
            }
            Self::DefaultMethod(id) => {
                method(ctx, customer, *id).await?.is_some_and(|method| method.is_default)
            }
            Self::RemoveMethod(id) => method(ctx, customer, *id).await?.is_none(),
        })
    }
}

/// Whether a customer is as a change wanted them.
fn says(now: &customers::View, wanted: &customers::Update) -> bool {
    let is = |now: &str, wanted: Option<&String>| wanted.is_none_or(|wanted| wanted == now);
    is(&now.email, wanted.email.as_ref())
        && is(&now.first_name, wanted.first_name.as_ref())
        && is(&now.last_name, wanted.last_name.as_ref())
        && is(now.phone.as_deref().unwrap_or_default(), wanted.phone.as_ref())
        && wanted.tags.as_ref().is_none_or(|wanted| *wanted == now.tags)
        && wanted.accepts_marketing.is_none_or(|wanted| wanted == now.accepts_marketing)
}

async fn address(ctx: &Ctx, customer: CustomerId, id: AddressId) -> Result<Option<addresses::View>, Error> {
    let book = addresses::list(ctx, customer, whole_page()).await?.items;
    Ok(book.into_iter().find(|entry| entry.id == id))
}

async fn method(
    ctx: &Ctx,
    customer: CustomerId,
    id: PaymentMethodId,
) -> Result<Option<payment_methods::View>, Error> {
    let methods = payment_methods::list(ctx, customer, whole_page()).await?.items;
    Ok(methods.into_iter().find(|method| method.id == id))
}
